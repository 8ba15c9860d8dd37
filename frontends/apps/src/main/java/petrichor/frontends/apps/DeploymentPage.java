package petrichor.frontends.apps;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.apps.builds.BuildEvent;
import petrichor.apps.hosting.AppliedFile;
import petrichor.apps.hosting.DeployEvent;
import petrichor.apps.hosting.DeployRequest;
import petrichor.apps.hosting.DeployResult;
import petrichor.apps.hosting.Hosting;
import petrichor.base.Cancellation;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.PathTemplate;

/**
 * {@code POST /petrichor/v1/deployments?project=&version=&promote=}: deploys the ZIP or tar.gz
 * archive in the body; with {@code only=files}, only its files such as {@code cron.yaml}. The
 * response is a JSON object per line: events, and at last the result. A client that disconnects
 * cancels the deployment. Thread-safe.
 */
public final class DeploymentPage {
    private static final int EVENTS_MAX = 1_000;
    private static final int IDLE_S = 10;
    private static final byte[] IDLE = "{}\n".getBytes(StandardCharsets.UTF_8);

    private final Deployments deployments;

    public DeploymentPage(Deployments deployments) {
        this.deployments = deployments;
    }

    public Page page() {
        return Page.streaming(
                "POST",
                PathTemplate.of("/petrichor/v1/deployments"),
                Page.Access.ADMIN,
                this::deploy);
    }

    private Page.Answer deploy(Page.Request request) {
        if (!deployments.permits().tryAcquire()) {
            return Page.Answer.text(429, "too many deployments run already; retry later\n");
        }
        Path archive = null;
        boolean started = false;
        try {
            archive = Deployments.received(request);
            Deployment deployment = new Deployment(request, archive);
            Thread.ofVirtual().name("deployment").start(deployment);
            started = true;
            return Page.Answer.streamed("application/x-ndjson", deployment);
        } catch (IOException e) {
            throw FileProblem.of("cannot store the archive", e);
        } finally {
            if (!started) {
                deployments.permits().release();
                Deployments.delete(archive);
            }
        }
    }

    /** One deployment, and the lines about it. */
    private final class Deployment implements Page.Rest, Runnable {
        private final Page.Request request;
        private final Path archive;
        private final BlockingQueue<byte[]> lines = new ArrayBlockingQueue<>(EVENTS_MAX);
        private volatile boolean ended;

        Deployment(Page.Request request, Path archive) {
            this.request = request;
            this.archive = archive;
        }

        @Override
        public void run() {
            try {
                Map<String, String> asked = request.parameters();
                DeployRequest deployment =
                        new DeployRequest(
                                request.contentType().contains("zip")
                                        ? new DeployRequest.Origin.Zip(archive)
                                        : new DeployRequest.Origin.TarGz(archive),
                                text(asked, "project"),
                                text(asked, "version"),
                                !"false".equals(asked.get("promote")),
                                text(asked, "by").orElse(""));
                Hosting host = deployments.hosting();
                Cancellation cancellation = request.cancellation();
                Consumer<DeployEvent> progress = event -> add(json(event));
                add(
                        result(
                                "files".equals(asked.get("only"))
                                        ? host.deployFiles(deployment, progress, cancellation)
                                        : host.deploy(deployment, progress, cancellation)));
            } catch (PetrichorException failed) {
                add(failed("deployment", String.valueOf(failed.getMessage()), Optional.empty()));
            } finally {
                ended = true;
                deployments.permits().release();
                Deployments.delete(archive);
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

        private int waits;

        @Override
        public void close() {}
    }

    private static Optional<String> text(Map<String, String> parameters, String name) {
        return Optional.ofNullable(parameters.get(name)).filter(value -> !value.isEmpty());
    }

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
                deployed.addProperty("url", deployments.url(version));
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
