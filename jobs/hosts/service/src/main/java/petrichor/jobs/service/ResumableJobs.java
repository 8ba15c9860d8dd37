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
 * What jobs can be gone on with by: a folder for each, with its jar, a note what it is, and the
 * files between its stages. It is there while the job runs, and stays if the job stops. Whoever
 * goes on with it takes the folder over under a name of its own, at once or not at all: one process
 * at a time works with these files.
 *
 * <p>Safe for all threads.
 */
final class ResumableJobs {
    private static final System.Logger LOG = System.getLogger(ResumableJobs.class.getName());

    /** For the failure of a killed job without files to resume from. */
    static final String NOTHING_KEPT =
            "nothing of it is kept, because no stage had started or its plan has iterations: run it"
                    + " again";

    private static final String NOTE = "job.json";
    private static final String JAR = "job.jar";
    private static final String POINT = "point";

    /** Is there from when the job stopped until it is gone on with. */
    private static final String STOPPED = "stopped";

    private final JobSettings settings;

    /** Jobs that somebody goes on with, or gives up: who, by whose. */
    private final Map<String, String> claims = new HashMap<>();

    ResumableJobs(JobSettings settings) {
        this.settings = settings;
    }

    /** Whether this job can be gone on with if it stops. */
    boolean keeps(Submission job) {
        return job.cloud() != null && !job.trial() && settings.keptBytesMax() > 0;
    }

    Path folder(String id) {
        return settings.kept().resolve(id);
    }

    Path jar(String id) {
        return folder(id).resolve(JAR);
    }

    /** For a {@link ResumePoint}. */
    Path files(String id) {
        return folder(id).resolve(POINT);
    }

    /** Whether the job has begun and can be gone on with. */
    boolean isThere(String id) {
        return ResumePoint.in(files(id)).isThere();
    }

    /** A job begins, or goes on with another one; its jar is here from now on. */
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

    /** The job has stopped: it can be gone on with from now on. */
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
            LOG.log(System.Logger.Level.WARNING, "cannot remove the files of the job " + id, e);
        }
    }

    /**
     * After a crash, when everything is settled: what can be gone on with stays. That of a job
     * whose machines are not given back stays as it is.
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

    /** All that can be gone on with, those that stopped first before the others. */
    List<ResumableJob> all() {
        List<ResumableJob> all = new ArrayList<>();
        ids().forEach(id -> find(id).ifPresent(all::add));
        all.sort(Comparator.comparing(ResumableJob::since));
        return all;
    }

    /** Empty if it cannot be gone on with. */
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
            // Somebody goes on with it, or removes it.
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
        return new PetrichorException(
                ErrorCode.NOT_FOUND,
                "there is no resumable job "
                        + id
                        + "; `petrichor job resume`, with this server's --host or --port, lists"
                        + " them");
    }

    /**
     * Nobody else takes it until {@link #release}.
     *
     * @param by who takes it, for whoever wants it, too
     * @return what it is
     */
    synchronized JobSnapshot claim(String id, String by) {
        if (find(id).isEmpty()) {
            throw nothing(id);
        }
        if (Files.exists(settings.leases(id))) {
            throw new PetrichorException(
                    ErrorCode.FAILED_PRECONDITION,
                    "the machines of the job "
                            + id
                            + " were not released, so that parts of it may still be running;"
                            + " restart the server, then resume the job");
        }
        String other = claims.putIfAbsent(id, by);
        if (other != null) {
            throw new PetrichorException(
                    ErrorCode.FAILED_PRECONDITION,
                    "the job " + id + " is already being resumed by " + other);
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

    /** Fails if the jar is another one than that which began. */
    void checkJar(String id) {
        try {
            if (!digest(jar(id)).equals(note(id).get("jar").getAsString())) {
                throw new PetrichorException(
                        ErrorCode.FAILED_PRECONDITION,
                        "the jar of the job "
                                + id
                                + " has changed since the job started; discard it with `petrichor"
                                + " job resume "
                                + id
                                + " --discard` and run it again");
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot read the jar of the job " + id, e);
        }
    }

    /** What is kept for too long or takes too much, the oldest first. */
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
