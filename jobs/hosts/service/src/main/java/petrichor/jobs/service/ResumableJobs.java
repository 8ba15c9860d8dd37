package petrichor.jobs.service;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.ResumePoint;

/**
 * The files from which stopped jobs can be resumed: a folder for each job, with its jar, a
 * description, and the files between its stages. The folder exists while the job runs and stays if
 * the job stops. A job that resumes it renames the folder first, atomically, so that only one
 * process works with these files. Thread-safe.
 */
final class ResumableJobs {
    private static final System.Logger LOG = System.getLogger(ResumableJobs.class.getName());

    /** Why a killed job has no files to resume from. */
    static final String NOTHING_KEPT =
            "nothing of it is kept, because no stage had started or its plan has iterations: run it"
                    + " again";

    private static final String NOTE = "job.json";
    private static final String JAR = "job.jar";
    private static final String POINT = "point";

    /** Present from when the job stopped until it is resumed. */
    private static final String STOPPED = "stopped";

    private final JobSettings settings;

    /** Stopped jobs that are being resumed or discarded, with the id of the one that took them. */
    private final Map<String, String> claims = new HashMap<>();

    ResumableJobs(JobSettings settings) {
        this.settings = settings;
    }

    /** Whether this job can be resumed if it stops. */
    boolean keeps(Submission job) {
        return job.cloud() != null && !job.trial() && settings.keptBytesMax() > 0;
    }

    Path folder(String id) {
        return settings.kept().resolve(id);
    }

    Path jar(String id) {
        return folder(id).resolve(JAR);
    }

    /** The folder for a {@link ResumePoint}. */
    Path files(String id) {
        return folder(id).resolve(POINT);
    }

    /** Whether the job has started and can be resumed. */
    boolean isThere(String id) {
        return ResumePoint.in(files(id)).isThere();
    }

    /** Keeps the jar of a job that starts or resumes another one. */
    void begin(JobSnapshot job, Path jar) {
        String resumes = job.submission().resumes();
        Path own = folder(job.id());
        try {
            if (resumes == null) {
                Files.createDirectories(own);
                write(own, job, digest(jar));
                Files.move(jar, own.resolve(JAR));
            } else {
                Files.move(folder(resumes), own, StandardCopyOption.ATOMIC_MOVE);
                Files.deleteIfExists(own.resolve(STOPPED));
                write(own, job, digest(own.resolve(JAR)));
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot keep the files to resume the job " + job.id(), e);
        }
    }

    private static void write(Path folder, JobSnapshot job, String digest) throws IOException {
        Progress.KeptNote note =
                Progress.KeptNote.newBuilder()
                        .setJob(job.job().toBuilder().clearTasks())
                        .setJar(digest)
                        .build();
        Path fresh = folder.resolve(NOTE + ".new");
        Files.writeString(fresh, ProgressJson.of(note).toString());
        Files.move(fresh, folder.resolve(NOTE), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Marks a stopped job as resumable. */
    ResumableJob stopped(String id) {
        try {
            Files.write(folder(id).resolve(STOPPED), new byte[0]);
        } catch (IOException e) {
            throw FileProblem.of("cannot keep the files of the job " + id, e);
        }
        return find(id).orElseThrow(() -> nothing(id));
    }

    void remove(String id) {
        try {
            ServedJob.delete(folder(id));
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "cannot remove the files of the job {0}: {1}",
                    id,
                    e);
        }
    }

    /**
     * After a crash, once all leases are settled: keeps resumable jobs, and removes the rest. A job
     * whose machines are not released keeps its files.
     */
    void tidy() throws IOException {
        for (String id : ids()) {
            if (Files.exists(settings.leases(id))) {
                continue;
            }
            if (!isThere(id)) {
                remove(id);
            } else if (!Files.exists(folder(id).resolve(STOPPED))) {
                stopped(id);
            }
        }
    }

    private List<String> ids() {
        if (!Files.isDirectory(settings.kept())) {
            return List.of();
        }
        try (var all = Files.list(settings.kept())) {
            return all.map(each -> each.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw FileProblem.of("cannot list the jobs in " + settings.kept(), e);
        }
    }

    /** All resumable jobs, in the order in which they stopped. */
    List<ResumableJob> all() {
        List<ResumableJob> all = new ArrayList<>();
        ids().forEach(id -> find(id).ifPresent(all::add));
        all.sort(Comparator.comparing(ResumableJob::since));
        return all;
    }

    /** Empty if the job cannot be resumed. */
    Optional<ResumableJob> find(String id) {
        Path own = folder(id);
        Path stopped = own.resolve(STOPPED);
        if (!id.matches("[0-9a-f-]+") || !Files.exists(stopped)) {
            return Optional.empty();
        }
        try {
            ResumePoint point = ResumePoint.in(files(id));
            Instant since =
                    Files.getLastModifiedTime(stopped).toInstant().truncatedTo(ChronoUnit.SECONDS);
            return Optional.of(
                    new ResumableJob(
                            id,
                            snapshot(id).name(),
                            since,
                            since.plus(settings.keptTimeMax()),
                            point.stagesDone(),
                            point.stages(),
                            bytes(own)));
        } catch (IOException | PetrichorException e) {
            // It is being resumed or discarded.
            return Optional.empty();
        }
    }

    private static long bytes(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        } catch (java.io.UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private JsonObject note(String id) throws IOException {
        return JsonParser.parseString(Files.readString(folder(id).resolve(NOTE))).getAsJsonObject();
    }

    private JobSnapshot snapshot(String id) throws IOException {
        return JobSnapshot.parse(note(id).getAsJsonObject("job"));
    }

    private static PetrichorException nothing(String id) {
        return PetrichorException.of(
                ErrorCode.NOT_FOUND,
                "there is no resumable job {id}; `petrichor job resume`, with this server's --host"
                        + " or --port, lists them",
                "id",
                id);
    }

    /**
     * Reserves a stopped job until {@link #release}.
     *
     * @param by the job that resumes it, or the request that discards it; shown to others that try
     * @return its description
     */
    synchronized JobSnapshot claim(String id, String by) {
        if (find(id).isEmpty()) {
            throw nothing(id);
        }
        if (Files.exists(settings.leases(id))) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the machines of the job {id} were not released, so that parts of it may still"
                            + " be running; restart the server, then resume the job",
                    "id",
                    id);
        }
        String other = claims.putIfAbsent(id, by);
        if (other != null) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the job {id} is already being resumed by {other}",
                    "id",
                    id,
                    "other",
                    other);
        }
        try {
            return snapshot(id);
        } catch (IOException e) {
            claims.remove(id);
            throw FileProblem.of("cannot read the description of the job " + id, e);
        }
    }

    synchronized void release(String id) {
        claims.remove(id);
    }

    /** Fails if the jar differs from the one that the job was started with. */
    void checkJar(String id) {
        try {
            if (!digest(jar(id)).equals(note(id).get("jar").getAsString())) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "the jar of the job {id} has changed since the job started; discard it with"
                                + " `petrichor job resume {id} --discard` and run it again",
                        "id",
                        id);
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot read the jar of the job " + id, e);
        }
    }

    /** Files that are too old, or beyond the limit of space; the oldest first. */
    List<String> surplus(Instant now) {
        List<ResumableJob> all = all();
        long bytes = all.stream().mapToLong(ResumableJob::bytes).sum();
        List<String> surplus = new ArrayList<>();
        for (ResumableJob job : all) {
            if (bytes > settings.keptBytesMax() || !now.isBefore(job.until())) {
                surplus.add(job.id());
                bytes -= job.bytes();
            }
        }
        return surplus;
    }

    private static String digest(Path file) throws IOException {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            try (InputStream in = new DigestInputStream(Files.newInputStream(file), sha)) {
                in.transferTo(OutputStream.nullOutputStream());
            }
            return HexFormat.of().formatHex(sha.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
