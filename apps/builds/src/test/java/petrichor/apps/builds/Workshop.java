package petrichor.apps.builds;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.TimeSource;

/** A folder of builds for a test, with a clock that the test can advance. */
final class Workshop implements AutoCloseable {
    private static final int READY_SECONDS_MAX = 60;

    final Path folder;
    final List<BuildEvent> events = new CopyOnWriteArrayList<>();
    final Set<String> deployed = ConcurrentHashMap.newKeySet();
    private final BuildSettings settings;
    private final AtomicLong laterMicros = new AtomicLong();
    private int trees;
    Builds builds;

    Workshop(Path temporary) throws IOException {
        this(temporary, settings -> settings);
    }

    Workshop(Path temporary, UnaryOperator<BuildSettings> change) throws IOException {
        this.folder = temporary;
        // A test's temporary folder is private, but builds have users of their own.
        FileTrees.setMode(temporary, FileTrees.ENTER_ONLY);
        TimeSource clock =
                new TimeSource() {
                    @Override
                    public long epochMicros() {
                        return TimeSource.SYSTEM.epochMicros() + laterMicros.get();
                    }

                    @Override
                    public long monotonicNanos() {
                        return System.nanoTime();
                    }
                };
        BuildSettings defaults = BuildSettings.in(temporary.resolve("builds"), () -> deployed);
        this.settings =
                change.apply(
                        new BuildSettings(
                                defaults.folder(),
                                defaults.limits(),
                                defaults.users(),
                                defaults.toolFolders(),
                                defaults.deployed(),
                                clock));
        this.builds = Builds.open(settings, SourceLimits.DEFAULT);
    }

    /** JUnit cannot delete sealed folders as an unprivileged user. */
    @Override
    public void close() throws IOException {
        FileTrees.delete(settings.folder());
    }

    BuildSettings settings() {
        return settings;
    }

    /** As after a restart of the server. */
    void reopen() {
        builds = Builds.open(settings, SourceLimits.DEFAULT);
    }

    void advance(Duration duration) {
        laterMicros.addAndGet(duration.toNanos() / 1_000);
    }

    /** A folder with these files. */
    Path tree(Map<String, String> files) throws IOException {
        Path tree = Files.createDirectories(folder.resolve("tree-" + ++trees));
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = tree.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
        return tree;
    }

    Sources sources(Map<String, String> files) throws IOException {
        return ((SourceResult.Stored) builds.sources().folder(tree(files), IgnorePatterns.NONE))
                .sources();
    }

    BuildRequest request(RuntimeFamily family, Map<String, String> files) throws IOException {
        return request(family, null, Map.of(), files);
    }

    BuildRequest request(
            RuntimeFamily family,
            @Nullable String entrypoint,
            Map<String, String> environment,
            Map<String, String> files)
            throws IOException {
        return new BuildRequest(
                sources(files),
                new AppRuntime(family, ""),
                entrypoint,
                environment,
                "demo",
                events::add);
    }

    BuildResult build(BuildRequest request) {
        return builds.build(request, Cancellation.never());
    }

    BuildResult.Built built(BuildRequest request) throws IOException {
        BuildResult result = build(request);
        if (result instanceof BuildResult.BuildFailed failed) {
            throw new AssertionError(failed + "\n" + Files.readString(failed.log()));
        }
        return (BuildResult.Built) result;
    }

    BuildResult.BuildFailed failed(BuildRequest request) {
        BuildResult result = build(request);
        assertThat(result).isInstanceOf(BuildResult.BuildFailed.class);
        return (BuildResult.BuildFailed) result;
    }

    /** Whether the dependencies of the last build came from the cache. */
    boolean reusedDependencies() {
        return events.stream()
                .filter(BuildEvent.StageFinished.class::isInstance)
                .map(BuildEvent.StageFinished.class::cast)
                .filter(event -> event.stage() == BuildStage.DEPENDENCIES)
                .reduce((_, last) -> last)
                .orElseThrow()
                .reused();
    }

    /** The files of unfinished builds and trees. */
    List<Path> leftovers() throws IOException {
        List<Path> left = new ArrayList<>();
        for (Path app : list(settings.folder().resolve("apps"))) {
            left.addAll(list(app.resolve("work")));
            for (String store : List.of("layers", "builds")) {
                for (Path tree : list(app.resolve(store))) {
                    if (!Files.exists(tree.resolve(TreeStore.COMPLETE))) {
                        left.add(tree);
                    }
                }
            }
        }
        for (Path tree : list(settings.folder().resolve("sources"))) {
            if (!Files.exists(tree.resolve(TreeStore.COMPLETE))) {
                left.add(tree);
            }
        }
        return left;
    }

    static List<Path> list(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (var files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    /** The layers of the test's app. */
    List<Path> layers() throws IOException {
        return list(settings.folder().resolve("apps/demo/layers"));
    }

    /** Starts the app as its own user, and returns the answer to GET /. */
    String serve(BuildResult.Built built) throws IOException, InterruptedException {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        Path output = folder.resolve("app-" + port + ".log");
        Process process = start(built, Map.of("PORT", String.valueOf(port)), output);
        try {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS_MAX);
            while (true) {
                try (HttpClient client = HttpClient.newHttpClient()) {
                    return client.send(
                                    HttpRequest.newBuilder(
                                                    URI.create("http://127.0.0.1:" + port + "/"))
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .body();
                } catch (IOException notListening) {
                    boolean ended = process.waitFor(50, TimeUnit.MILLISECONDS);
                    if (ended || System.nanoTime() > deadline) {
                        throw new AssertionError(Files.readString(output), notListening);
                    }
                }
            }
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
    }

    /** Runs the app to its end, as its own user, and returns its output. */
    String run(BuildResult.Built built) throws IOException, InterruptedException {
        Path output = folder.resolve("output-" + ++trees);
        Process process = start(built, Map.of(), output);
        assertThat(process.waitFor(READY_SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        return Files.readString(output);
    }

    private Process start(BuildResult.Built built, Map<String, String> more, Path output)
            throws IOException {
        BuildUser user = builds.user("demo").orElse(null);
        List<String> line = new Confinement(false).enclose(built.startCommand(), user);
        ProcessBuilder builder =
                new ProcessBuilder(line)
                        .directory(built.folder().toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        builder.environment().clear();
        builder.environment().putAll(built.environment());
        builder.environment().put("HOME", "/nonexistent");
        builder.environment().putAll(more);
        return builder.start();
    }
}
