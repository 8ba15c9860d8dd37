package petrichor.workflows;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.reflect.TypeToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Runs a large computation as a job of the server at {@code DATASTORE_EMULATOR_HOST}, and waits for
 * its end. The output is the id of the job. With tokens, {@code PETRICHOR_TOKEN} must have the role
 * admin.
 *
 * <p>The job has the additional arguments {@code --workflow-step ID}, by which a repeated turn
 * finds it. It runs again if its server was killed, so its sinks must overwrite their results.
 */
public final class RunJob implements Pipeline {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final int PAUSE_SECONDS_MAX = 20;
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);
    private static final int CREATED = 201;
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    private static final List<Integer> REFUSED = List.of(400, 401, 403);
    private static final String STEP = "--workflow-step";

    /** Which job was submitted, empty if none; how often it was seen, and jobs that have failed. */
    record Submitted(String job, int polls, int failures) {}

    /**
     * @param jar a file of the app
     * @param program the class of the jar that builds the plan
     */
    public static Call of(String jar, String program, List<String> arguments) {
        return Call.of(RunJob.class, jar, program, arguments);
    }

    @Override
    public Outcome run(Step step) throws Exception {
        Submitted before = step.progress(Submitted.class).orElse(null);
        if (before == null) { // a repeated turn finds the job by the id of this step
            return Outcome.proceed(new Submitted("", 0, 0));
        }
        Optional<JsonObject> known = find(before.job(), step.id());
        JsonObject job = known.isPresent() ? known.get() : submit(step);
        String id = job.get("id").getAsString();
        switch (job.get("state").getAsString()) {
            case "FINISHED":
                return Outcome.output(id);
            case "FAILED", "CANCELED":
                int failures = before.failures() + 1;
                if (failures >= retries().max()) {
                    throw new Abort("the job " + id + " has failed: " + job.get("failure"));
                }
                // The next turn submits the job again; a repeated turn then finds that one.
                return new Outcome.Continue(new Submitted("", 0, failures), List.of(), AFTER_FAILURE);
            default:
                return pause(job, before.failures(), before.polls() + 1);
        }
    }

    private static Outcome pause(JsonObject job, int failures, int polls) {
        Submitted now = new Submitted(job.get("id").getAsString(), polls, failures);
        return new Outcome.Continue(now, List.of(), Duration.ofSeconds(Math.min(polls, PAUSE_SECONDS_MAX)));
    }

    /** The job of this id, or the step's latest one that has not failed. */
    private static Optional<JsonObject> find(String id, String step) throws IOException, InterruptedException {
        if (!id.isEmpty()) {
            HttpResponse<String> response = send(request("/" + id).GET());
            if (response.statusCode() != NOT_FOUND) {
                return Optional.of(accepted(response));
            }
        }
        for (JsonElement each : accepted(send(request("").GET())).getAsJsonArray("jobs")) {
            JsonObject job = each.getAsJsonObject();
            String state = job.get("state").getAsString();
            if (isOf(job, step) && !state.equals("FAILED") && !state.equals("CANCELED")) {
                return Optional.of(job);
            }
        }
        return Optional.empty();
    }

    private static boolean isOf(JsonObject job, String step) {
        JsonElement submission = job.get("submission");
        JsonElement arguments =
                submission == null ? null : submission.getAsJsonObject().get("arguments");
        JsonArray texts = arguments == null ? new JsonArray() : arguments.getAsJsonArray();
        return texts.size() > 0 && texts.get(texts.size() - 1).getAsString().equals(step);
    }

    private static JsonObject submit(Step step) throws IOException, InterruptedException {
        List<String> arguments =
                new ArrayList<>(
                        step.<List<String>>argument(2, new TypeToken<List<String>>() {}.getType()));
        arguments.add(STEP);
        arguments.add(step.id());
        JsonObject description = new JsonObject();
        description.addProperty("class", step.argument(1, String.class));
        description.add("arguments", Values.encode(arguments));
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes((description + "\n").getBytes(StandardCharsets.UTF_8));
        body.writeBytes(Files.readAllBytes(Path.of(step.argument(0, String.class))));
        HttpRequest.Builder request =
                request("")
                        .header("Content-Type", "application/vnd.petrichor.job")
                        .POST(BodyPublishers.ofByteArray(body.toByteArray()));
        return accepted(send(request));
    }

    private static HttpRequest.Builder request(String path) {
        String host = System.getenv("DATASTORE_EMULATOR_HOST");
        if (host == null) {
            throw new Abort("jobs run on the server at DATASTORE_EMULATOR_HOST, which is not set");
        }
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://" + host + "/petrichor/v1/jobs" + path))
                        .timeout(DEADLINE);
        String token = System.getenv("PETRICHOR_TOKEN");
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static JsonObject accepted(HttpResponse<String> response) throws IOException {
        if (response.statusCode() == OK || response.statusCode() == CREATED) {
            return Values.parse(response.body()).getAsJsonObject();
        }
        String text = "the server refused the job: " + response.body().strip();
        if (REFUSED.contains(response.statusCode())) {
            throw new Abort(text);
        }
        throw new IOException(text);
    }
}
