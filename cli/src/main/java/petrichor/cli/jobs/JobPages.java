package petrichor.cli.jobs;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.connection.ServerPage;
import petrichor.jobs.service.JobSnapshot;
import petrichor.jobs.service.Progress;
import petrichor.jobs.service.ProgressJson;
import petrichor.jobs.service.Submission;

/** Client of a server's pages about jobs. Thread-safe. */
final class JobPages implements AutoCloseable {
    private static final String PATH = "/petrichor/v1/jobs";

    /** Long, because jobs may run for days. */
    private static final Duration JOB_TIME_MAX = Duration.ofDays(365);

    private static final String DATA = "data: ";

    private final String server;
    private final String token;
    private final @Nullable SSLContext tls;
    private final HttpClient client;

    private JobPages(String server, String token, @Nullable SSLContext tls) {
        this.server = server;
        this.token = token;
        this.tls = tls;
        this.client = ServerPage.client(tls);
    }

    static JobPages of(ServerAddress.Connection connection, ServerAddress address) {
        return new JobPages(connection.client().address(), address.token(), address.tls());
    }

    private HttpRequest.Builder at(String below) {
        return ServerPage.request(server, PATH + below, token, tls);
    }

    /** Returns the content of a page below the list of jobs. */
    JsonObject read(String below) throws InterruptedException {
        return send(at(below).build());
    }

    JsonObject cancel(String id) throws InterruptedException {
        return send(at("/" + id).DELETE().build());
    }

    /** Starts a job that resumes a stopped one, and returns it. */
    JsonObject resume(String id) throws InterruptedException {
        return send(at("/" + id + "/resume").POST(HttpRequest.BodyPublishers.noBody()).build());
    }

    /** Deletes the files of a stopped job. */
    JsonObject giveUp(String id) throws InterruptedException {
        return send(at("/kept/" + id).DELETE().build());
    }

    /**
     * Submits a job and returns it, with its {@code id} and the {@code folder} against which its
     * relative paths are resolved.
     */
    JsonObject submit(Path jar, Submission submission) throws InterruptedException {
        try {
            HttpRequest request =
                    at("").header("Content-Type", "application/vnd.petrichor.job")
                            .POST(
                                    HttpRequest.BodyPublishers.concat(
                                            HttpRequest.BodyPublishers.ofString(
                                                    submission.json() + "\n"),
                                            HttpRequest.BodyPublishers.ofFile(jar)))
                            .build();
            return send(request);
        } catch (FileNotFoundException missing) {
            throw FileProblem.of("cannot read the jar " + jar, missing);
        }
    }

    private JsonObject send(HttpRequest request) throws InterruptedException {
        try {
            return json(client.send(request, HttpResponse.BodyHandlers.ofString()));
        } catch (IOException | JsonParseException failed) {
            throw ServerPage.noAnswer(server, failed);
        }
    }

    private JsonObject json(HttpResponse<String> answer) {
        if (answer.statusCode() == 200 || answer.statusCode() == 201) {
            return JsonParser.parseString(answer.body()).getAsJsonObject();
        }
        ErrorCode code = ErrorCode.FAILED_PRECONDITION;
        String why = answer.body().strip();
        try {
            JsonObject error = JsonParser.parseString(answer.body()).getAsJsonObject();
            if (error.has("code") && error.has("error") && error.get("error").isJsonPrimitive()) {
                code = ErrorCode.valueOf(error.get("code").getAsString());
                why = error.get("error").getAsString();
            }
        } catch (JsonParseException | IllegalStateException | IllegalArgumentException text) {
            // Without such a page, the server is an older version.
            code = answer.statusCode() == 404 ? ErrorCode.UNIMPLEMENTED : code;
        }
        throw new PetrichorException(
                code, why.isEmpty() ? server + " answers HTTP " + answer.statusCode() : why);
    }

    /** Follows a job to its end; gives its last snapshot. */
    JobSnapshot follow(String id, Consumer<JobSnapshot> follower) throws InterruptedException {
        return follow(id, follower, _ -> {});
    }

    /**
     * Like {@link #follow(String, Consumer)}.
     *
     * @param printed receives the output of the job's code
     */
    JobSnapshot follow(
            String id, Consumer<JobSnapshot> follower, Consumer<Progress.Event.Printed> printed)
            throws InterruptedException {
        HttpRequest request = at("/" + id + "/events").timeout(JOB_TIME_MAX).build();
        try {
            HttpResponse<Stream<String>> answer =
                    client.send(request, HttpResponse.BodyHandlers.ofLines());
            if (answer.statusCode() != 200) {
                // The same question as a page says why.
                return JobSnapshot.parse(read("/" + id));
            }
            try (Stream<String> lines = answer.body()) {
                follow(lines.iterator(), follower, printed);
            }
            return JobSnapshot.parse(read("/" + id));
        } catch (IOException | java.io.UncheckedIOException failed) {
            throw ServerPage.noAnswer(server, failed);
        }
    }

    private static void follow(
            Iterator<String> lines,
            Consumer<JobSnapshot> follower,
            Consumer<Progress.Event.Printed> printed) {
        JobSnapshot snapshot = null;
        while (lines.hasNext()) {
            String line = lines.next();
            if (line.startsWith(DATA)) {
                Progress.Event event = ProgressJson.event(line.substring(DATA.length()));
                if (event.hasPrinted()) {
                    printed.accept(event.getPrinted());
                }
                snapshot =
                        snapshot == null
                                ? JobSnapshot.of(event.getSnapshot())
                                : snapshot.apply(event, Instant.now());
                follower.accept(snapshot);
            }
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
