package petrichor.frontends.apps;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.apps.builds.BuildEvent;
import petrichor.apps.hosting.AppliedFile;
import petrichor.apps.hosting.DeployEvent;
import petrichor.apps.hosting.DeployResult;
import petrichor.apps.router.table.VersionName;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.Page;

/**
 * A response with a JSON object per line about work that starts instances: its events, and at last
 * its result. Empty objects keep the connection open. Thread-safe.
 */
final class DeploymentLines implements Page.Rest, Runnable {
    private static final int EVENTS_MAX = 1_000;
    private static final int IDLE_S = 10;
    private static final byte[] IDLE = "{}\n".getBytes(StandardCharsets.UTF_8);

    private final Function<Consumer<DeployEvent>, DeployResult> work;
    private final Function<VersionName, String> url;
    private final Runnable finished;
    private final BlockingQueue<byte[]> lines = new ArrayBlockingQueue<>(EVENTS_MAX);
    private volatile boolean ended;
    private int waits;

    private DeploymentLines(
            Function<Consumer<DeployEvent>, DeployResult> work,
            Function<VersionName, String> url,
            Runnable finished) {
        this.work = work;
        this.url = url;
        this.finished = finished;
    }

    /**
     * Starts work in a thread of its own, and answers with its lines.
     *
     * @param url of a version
     * @param finished runs after the work, also if it fails
     */
    static Page.Answer start(
            Function<Consumer<DeployEvent>, DeployResult> work,
            Function<VersionName, String> url,
            Runnable finished) {
        DeploymentLines lines = new DeploymentLines(work, url, finished);
        Thread.ofVirtual().name("deployment").start(lines);
        return Page.Answer.streamed("application/x-ndjson", lines);
    }

    @Override
    public void run() {
        try {
            add(result(work.apply(event -> add(json(event)))));
        } catch (PetrichorException failed) {
            add(failed("deployment", String.valueOf(failed.getMessage()), Optional.empty()));
        } finally {
            ended = true;
            finished.run();
        }
    }

    /** Lines beyond the limit are dropped; the result has its place. */
    private void add(JsonObject line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        boolean last = !line.has("event");
        if (last) {
            while (!lines.offer(bytes)) {
                lines.poll();
            }
        } else {
            boolean _ = lines.offer(bytes);
        }
    }

    @Override
    public byte @Nullable [] get() {
        try {
            byte[] next = lines.poll();
            while (next == null) {
                if (ended) {
                    return lines.poll();
                }
                next = lines.poll(100, TimeUnit.MILLISECONDS);
                if (next == null && ++waits >= IDLE_S * 10) {
                    next = IDLE; // keeps the connection open
                }
            }
            waits = 0;
            return next;
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    @Override
    public void close() {}

    private static JsonObject json(DeployEvent event) {
        JsonObject json = new JsonObject();
        switch (event) {
            case DeployEvent.Accepted(var version, String sources, int files, long bytes) -> {
                json.addProperty("event", "accepted");
                json.addProperty("version", version.toString());
                json.addProperty("sources", sources);
                json.addProperty("files", files);
                json.addProperty("bytes", bytes);
            }
            case DeployEvent.Warning(var warning) -> {
                json.addProperty("event", "warning");
                json.addProperty("text", warning.toString());
            }
            case DeployEvent.Building(BuildEvent.StageStarted(var stage)) -> {
                json.addProperty("event", "stage-started");
                json.addProperty("stage", stage.name().toLowerCase(Locale.ROOT));
            }
            case DeployEvent.Building(BuildEvent.Output(String line)) -> {
                json.addProperty("event", "output");
                json.addProperty("text", line);
            }
            case DeployEvent.Building(
                            BuildEvent.StageFinished(var stage, var duration, boolean reused)) -> {
                json.addProperty("event", "stage-finished");
                json.addProperty("stage", stage.name().toLowerCase(Locale.ROOT));
                json.addProperty("milliseconds", duration.toMillis());
                json.addProperty("reused", reused);
            }
            case DeployEvent.Applied(AppliedFile(String file, var defined, var paused)) -> {
                json.addProperty("event", "applied");
                json.addProperty("file", file);
                json.add("defined", names(defined));
                json.add("paused", names(paused));
            }
            case DeployEvent.Starting(var version) -> {
                json.addProperty("event", "starting");
                json.addProperty("version", version.toString());
            }
        }
        return json;
    }

    private static JsonArray names(List<String> names) {
        JsonArray json = new JsonArray();
        names.forEach(json::add);
        return json;
    }

    private JsonObject result(DeployResult result) {
        return switch (result) {
            case DeployResult.Deployed(var version, _, boolean cached, var duration) -> {
                JsonObject deployed = new JsonObject();
                deployed.addProperty("project", version.app());
                deployed.addProperty("service", version.service());
                deployed.addProperty("version", version.version());
                deployed.addProperty("url", url.apply(version));
                deployed.addProperty("cached", cached);
                deployed.addProperty("milliseconds", duration.toMillis());
                JsonObject json = new JsonObject();
                json.add("deployed", deployed);
                yield json;
            }
            case DeployResult.Configured(String app, var duration) -> {
                JsonObject configured = new JsonObject();
                configured.addProperty("project", app);
                configured.addProperty("milliseconds", duration.toMillis());
                JsonObject json = new JsonObject();
                json.add("configured", configured);
                yield json;
            }
            case DeployResult.Failed(String step, String reason, Optional<String> details) ->
                    failed(step, reason, details);
        };
    }

    private static JsonObject failed(String step, String reason, Optional<String> details) {
        JsonObject failed = new JsonObject();
        failed.addProperty("step", step);
        failed.addProperty("reason", reason);
        details.ifPresent(text -> failed.addProperty("details", text));
        JsonObject json = new JsonObject();
        json.add("failed", failed);
        return json;
    }
}
