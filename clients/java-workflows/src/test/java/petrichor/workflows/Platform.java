package petrichor.workflows;

import com.google.cloud.datastore.Datastore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A server and an app as processes that tests may kill, and a client of both. One for all tests of the JVM. */
final class Platform {
    static final String QUEUE = "flows";
    private static final Duration WITHIN =
            Duration.ofSeconds(
                    Long.parseLong(System.getenv().getOrDefault("WITHIN_SECONDS", "120")));
    private static final int PAUSE_MILLIS = 50;
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final String QUEUES =
            """
            queue:
            - name: flows
              rate: 500/s
              bucket_size: 100
              max_concurrent_requests: 8
              retry_parameters:
                min_backoff_seconds: 0.1
                max_backoff_seconds: 0.5
            """;
    private static Platform shared;

    final Path folder;
    final String address;
    final Killable server;
    final Killable app;
    final Workflows workflows;
    final Datastore datastore;
    final Path twice;

    private Platform() throws IOException {
        folder = Files.createTempDirectory("petrichor-workflows-");
        int port = freePort();
        int appPort = freePort();
        address = "127.0.0.1:" + port;
        twice = folder.resolve("at-once");
        Map<String, String> environment =
                Map.of(
                        "PETRICHOR_APPS__TARGETS", App.PROJECT + "=http://127.0.0.1:" + appPort,
                        "DATASTORE_EMULATOR_HOST", address,
                        "STORAGE_EMULATOR_HOST", "http://" + address,
                        "TASKS_AT_ONCE", twice.toString());
        String petrichor = Path.of("../../petrichor").toRealPath().toString();
        server =
                new Killable(
                        List.of(
                                petrichor,
                                "up",
                                "--data",
                                folder.resolve("data").toString(),
                                "--port",
                                Integer.toString(port)),
                        environment,
                        folder.resolve("server.log"),
                        URI.create("http://" + address + "/readyz"));
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        app =
                new Killable(
                        List.of(
                                java,
                                "-cp",
                                System.getProperty("java.class.path"),
                                App.class.getName(),
                                Integer.toString(appPort)),
                        environment,
                        folder.resolve("app.log"),
                        URI.create("http://127.0.0.1:" + appPort + "/"));
        server.start();
        post("/petrichor/v1/queues/" + App.PROJECT, "text/yaml", QUEUES.getBytes());
        app.start();
        workflows = App.workflows(address);
        datastore = App.datastore(address);
    }

    static synchronized Platform shared() {
        if (shared == null) {
            try {
                shared = new Platform();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
            Platform started = shared;
            Runtime.getRuntime().addShutdownHook(new Thread(started::stop));
        }
        return shared;
    }

    private void stop() {
        app.kill();
        server.kill();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    void post(String path, String type, byte[] body) throws IOException {
        try {
            var request =
                    HttpRequest.newBuilder(URI.create("http://" + address + path))
                            .header("Content-Type", type)
                            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                            .build();
            var response = HTTP.send(request, BodyHandlers.ofString());
            if (response.statusCode() >= 300) {
                throw new IOException(path + ": " + response.statusCode() + " " + response.body());
            }
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    String start(Call call) {
        return workflows.start(call, QUEUE);
    }

    /** The status of a workflow that no longer runs. */
    Workflows.Status ended(String id) {
        return until(() -> workflows.status(id).filter(status -> !status.runs()));
    }

    <T> T output(Call call, Class<T> type) {
        return ended(start(call)).output(type);
    }

    static <T> T until(Supplier<Optional<T>> found) {
        long deadline = System.nanoTime() + WITHIN.toNanos();
        while (true) {
            Optional<T> value = found.get();
            if (value.isPresent()) {
                return value.get();
            }
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + WITHIN);
            }
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /** A process that is started and killed several times. */
    static final class Killable {
        private final List<String> command;
        private final Map<String, String> environment;
        private final Path log;
        private final URI ready;
        private Process process;

        Killable(List<String> command, Map<String, String> environment, Path log, URI ready) {
            this.command = command;
            this.environment = new HashMap<>(environment);
            this.log = log;
            this.ready = ready;
        }

        void start() {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
            builder.environment().putAll(environment);
            try {
                process = builder.start();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
            until(() -> answers() ? Optional.of(true) : Optional.empty());
        }

        private boolean answers() {
            if (!process.isAlive()) {
                throw new AssertionError("the process has ended; see " + log);
            }
            try {
                int status = HTTP.send(HttpRequest.newBuilder(ready).build(), BodyHandlers.discarding()).statusCode();
                return status == 200 || status == 404;
            } catch (IOException notYet) {
                return false;
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        }

        void kill() {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            process.onExit().join();
        }
    }
}
