package petrichor.testing.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.testing.process.Pause;
import petrichor.testing.process.Program;
import petrichor.testing.process.RunningProcess;

/**
 * A Petrichor server, as a process on a host of the laboratory. Used by the thread that injects
 * faults.
 */
final class LabServer implements AutoCloseable {
    /** A small heap, because several servers share the machine. */
    private static final List<String> JVM_FLAGS = List.of("-Xmx384m");

    private static final Duration READY_TIME_MAX = Duration.ofSeconds(90);
    private static final int PAGE_MILLIS_MAX = 2_000;
    private static final String FAKE_TIME = "libfaketimeMT.so.1";

    private final String name;
    private final Network network;
    private final int port;
    private final String announced;
    private final Path folder;
    private final Path config;
    private volatile @Nullable RunningProcess process;
    private boolean closed;

    /**
     * @param announced address for the other servers
     * @param config as in {@code petrichor.toml}, except for the listen address
     */
    LabServer(
            String name, Network network, int port, String announced, Path folder, String config) {
        this.name = name;
        this.network = network;
        this.port = port;
        this.announced = announced;
        this.folder = folder;
        this.config = folder.resolve("petrichor.toml");
        String address = network.host(name);
        write(
                this.config,
                """
                [server]
                host = "%s"
                port = %d
                insecure = true
                drain-timeout = "1s"
                [log]
                format = "json"
                %s
                """
                        .formatted(address, port, config));
        stepClock(0);
    }

    private static void write(Path file, String text) {
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    String name() {
        return name;
    }

    String host() {
        return network.host(name);
    }

    int port() {
        return port;
    }

    String address() {
        return host() + ":" + port;
    }

    /** The address for the other servers. */
    String announced() {
        return announced;
    }

    /**
     * Starts the process and returns immediately; see {@link #awaitReady}. Has no effect if it is
     * running or closed.
     */
    synchronized void start() {
        if (closed || (process != null && process.alive())) {
            return;
        }
        List<String> command = new ArrayList<>();
        fakeTime()
                .ifPresent(
                        library ->
                                command.addAll(
                                        List.of(
                                                "env",
                                                "LD_PRELOAD=" + library,
                                                "FAKETIME_TIMESTAMP_FILE=" + clock(),
                                                // In seconds; without it, the file is read at every
                                                // clock access.
                                                "FAKETIME_CACHE_DURATION=1",
                                                // libfaketime's workaround for older C libraries
                                                // makes a JVM's waits of a second end after
                                                // milliseconds.
                                                "FAKETIME_FORCE_MONOTONIC_FIX=0",
                                                "FAKETIME_DONT_FAKE_MONOTONIC=1",
                                                "DONT_FAKE_MONOTONIC=1")));
        command.addAll(
                Program.petrichor(JVM_FLAGS, List.of("server", "--config", config.toString())));
        process =
                RunningProcess.start(
                        new ProcessBuilder(network.on(name, command))
                                .redirectErrorStream(true)
                                .redirectOutput(
                                        ProcessBuilder.Redirect.appendTo(
                                                folder.resolve("log").toFile())));
    }

    /**
     * Restarts the server if it exits, as a service manager does; fails with the end of its log if
     * it does not become ready in time.
     */
    void awaitReady() {
        long started = System.nanoTime();
        while (page("/livez").isEmpty()) {
            if (System.nanoTime() - started > READY_TIME_MAX.toNanos()) {
                throw new IllegalStateException(
                        name
                                + " is not ready after "
                                + READY_TIME_MAX
                                + "; its log ends with:\n"
                                + logEnd());
            }
            start();
            Pause.briefly();
        }
    }

    String logEnd() {
        return Commands.run(List.of("tail", "-n", "15", folder.resolve("log").toString()));
    }

    /** Reads a page; empty if the server does not answer with success. */
    Optional<String> page(String path) {
        try {
            HttpURLConnection connection =
                    (HttpURLConnection)
                            URI.create("http://" + address() + path).toURL().openConnection();
            connection.setConnectTimeout(PAGE_MILLIS_MAX);
            connection.setReadTimeout(PAGE_MILLIS_MAX);
            try (var body = connection.getInputStream()) {
                return Optional.of(new String(body.readAllBytes(), StandardCharsets.UTF_8));
            }
        } catch (IOException silent) {
            return Optional.empty();
        }
    }

    /** Sends SIGKILL. */
    void kill() {
        RunningProcess now = process;
        if (now != null) {
            now.kill();
        }
    }

    /** Sends SIGSTOP, if the process is running. */
    void pause() {
        RunningProcess now = process;
        if (now != null && now.alive()) {
            now.pause();
        }
    }

    /** Sends SIGCONT, if the process exists. */
    void resume() {
        RunningProcess now = process;
        if (now != null && now.alive()) {
            now.resume();
        }
    }

    // ---- its clock

    private Path clock() {
        return folder.resolve("clock");
    }

    /** Sets the offset of its wall clock; its monotonic clock is not affected. */
    void stepClock(int seconds) {
        write(clock(), (seconds < 0 ? "" : "+") + seconds + "\n");
    }

    /** Path of libfaketime; empty if it is not installed. */
    static Optional<Path> fakeTime() {
        for (String folder :
                List.of(
                        "/usr/lib/x86_64-linux-gnu/faketime",
                        "/usr/lib/aarch64-linux-gnu/faketime",
                        "/usr/lib64/faketime",
                        "/usr/lib/faketime",
                        "/usr/local/lib/faketime")) {
            Path library = Path.of(folder, FAKE_TIME);
            if (Files.exists(library)) {
                return Optional.of(library);
            }
        }
        return Optional.empty();
    }

    @Override
    public synchronized void close() {
        closed = true;
        kill();
    }
}
