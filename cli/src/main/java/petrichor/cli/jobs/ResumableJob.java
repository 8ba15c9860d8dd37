package petrichor.cli.jobs;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.ResumePoint;
import petrichor.jobs.leased.LeasedMachines;

/**
 * The saved command line of a job on leased machines, kept with its files while the job can be
 * resumed.
 *
 * @param id name of the job in the cloud's folder
 * @param line arguments after {@code petrichor}
 * @param directory folder against which relative paths are resolved
 * @param jar digest of the job's code
 */
record ResumableJob(String id, List<String> line, Path directory, String jar, Instant since) {
    private static final String FILE = "line.json";

    ResumableJob {
        line = List.copyOf(line);
    }

    /** The job that this command line starts now. */
    static ResumableJob of(String id, List<String> line, Path jar) {
        return new ResumableJob(id, line, here(), digest(jar), Instant.now());
    }

    private static Path here() {
        return Path.of("").toAbsolutePath();
    }

    private static Path folder(Path cloud, String id) {
        return LeasedMachines.jobs(cloud).resolve(id);
    }

    static ResumePoint point(Path cloud, String id) {
        return LeasedMachines.resumePoint(cloud, id);
    }

    void write(Path cloud) {
        JsonObject json = new JsonObject();
        JsonArray words = new JsonArray();
        line.forEach(words::add);
        json.add("line", words);
        json.addProperty("directory", directory.toString());
        json.addProperty("jar", jar);
        json.addProperty("since", since.toString());
        try {
            Path folder = Files.createDirectories(folder(cloud, id));
            Files.writeString(folder.resolve(FILE), json.toString());
        } catch (IOException e) {
            throw FileProblem.of("cannot save the command line of " + id, e);
        }
    }

    static Optional<ResumableJob> read(Path cloud, String id) {
        if (!id.matches("[A-Za-z0-9._-]+")) {
            throw PetrichorException.invalid("'{id}' is not the id of a job", "id", id);
        }
        try {
            JsonObject json =
                    JsonParser.parseString(Files.readString(folder(cloud, id).resolve(FILE)))
                            .getAsJsonObject();
            List<String> line = new ArrayList<>();
            for (JsonElement word : json.getAsJsonArray("line")) {
                line.add(word.getAsString());
            }
            return Optional.of(
                    new ResumableJob(
                            id,
                            line,
                            Path.of(json.get("directory").getAsString()),
                            json.get("jar").getAsString(),
                            Instant.parse(json.get("since").getAsString())));
        } catch (NoSuchFileException never) {
            return Optional.empty();
        } catch (IOException e) {
            throw FileProblem.of("cannot read the command line of " + id, e);
        }
    }

    /** All resumable jobs, including one that is running. */
    static List<ResumableJob> all(Path cloud) {
        List<ResumableJob> all = new ArrayList<>();
        Path jobs = LeasedMachines.jobs(cloud);
        if (!Files.isDirectory(jobs)) {
            return all;
        }
        try (var folders = Files.list(jobs)) {
            for (Path each : folders.sorted().toList()) {
                String id = each.getFileName().toString();
                if (point(cloud, id).isThere()) {
                    read(cloud, id).ifPresent(all::add);
                }
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot list the jobs in " + jobs, e);
        }
        return all;
    }

    /** The resumable jobs and their progress as JSON. */
    JsonObject json(Path cloud) {
        ResumePoint point = point(cloud, id);
        JsonObject json = new JsonObject();
        json.addProperty("id", id);
        json.addProperty("stagesDone", point.stagesDone());
        json.addProperty("stages", point.stages());
        json.addProperty("bytes", bytes(cloud));
        json.addProperty("since", since.toString());
        return json;
    }

    /** Size of its files in bytes. */
    private long bytes(Path cloud) {
        try (var files = Files.walk(folder(cloud, id))) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        } catch (IOException e) {
            throw FileProblem.of("cannot examine the files of " + id, e);
        }
    }

    /** Fails unless this process has the same folder and code as the one that started the job. */
    void checkSame(Path code) {
        if (!here().equals(directory)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the job was started in {directory}; change to that folder first",
                    "directory",
                    directory);
        }
        if (!digest(code).equals(jar)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "{code} has changed since the job stopped; discard it with `petrichor job"
                            + " resume {id} --discard` and run it again",
                    "code",
                    code,
                    "id",
                    id);
        }
    }

    private static String digest(Path file) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            try (InputStream in = new DigestInputStream(Files.newInputStream(file), sha)) {
                in.transferTo(OutputStream.nullOutputStream());
            }
            return HexFormat.of().formatHex(sha.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw FileProblem.of("cannot read " + file, e);
        }
    }
}
