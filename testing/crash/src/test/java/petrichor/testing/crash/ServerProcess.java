package petrichor.testing.crash;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
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

/** {@code petrichor up} in a process of its own, started as the launcher starts it. */
final class ServerProcess implements AutoCloseable {
    private static final String ADDRESS = "DATASTORE_EMULATOR_HOST=";
    private static final List<String> FLAGS =
            List.of(
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow",
                    "-XX:+ExitOnOutOfMemoryError",
                    "-XX:+UseSerialGC",
                    "-Xms128m",
                    "-XX:NewSize=64m");

    private final Process process;
    private final int port;
    private final Duration startup;

    private ServerProcess(Process process, int port, Duration startup) {
        this.process = process;
        this.port = port;
        this.startup = startup;
    }

    /**
     * Returns when it has said that it is ready.
     *
     * @param log what it says on standard error is added there
     * @param environment what the server has in its environment beside ours
     */
    static ServerProcess start(Path data, Path log, Map<String, String> environment) {
        return start(List.of("--data", data.toString()), log, environment);
    }

    /** As {@link #start(Path, Path, Map)}, by a configuration file. */
    static ServerProcess configured(Path file, Path log, Map<String, String> environment) {
        return start(List.of("--config", file.toString()), log, environment);
    }

    private static ServerProcess start(
            List<String> flags, Path log, Map<String, String> environment) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        command.addAll(program());
        command.addAll(List.of("up", "--port", "0"));
        command.addAll(flags);
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        long begun = System.nanoTime();
        try {
            Process process = builder.start();
            int port = readPort(process.inputReader(), log);
            return new ServerProcess(process, port, Duration.ofNanos(System.nanoTime() - begun));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** The jar with its libraries beside it as users have it, once it has been assembled. */
    private static List<String> program() {
        String classPath = System.getProperty("java.class.path");
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            Path jar = Path.of(entry);
            if (jar.endsWith("petrichor.jar") && Files.isDirectory(jar.resolveSibling("lib"))) {
                return List.of("-jar", entry);
            }
        }
        return List.of("-cp", classPath, "petrichor.cli.Petrichor");
    }

    private static int readPort(BufferedReader output, Path log) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            int at = line.indexOf(ADDRESS);
            if (at >= 0) {
                return Integer.parseInt(line.substring(line.lastIndexOf(':') + 1).strip());
            }
        }
        throw new AssertionError("the server did not start; it says:\n" + Files.readString(log));
    }

    int port() {
        return port;
    }

    /** From the start of the process to the line that says it is ready. */
    Duration startup() {
        return startup;
    }

    /** A page for operators. */
    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(
                    HttpRequest.newBuilder(URI.create("http://localhost:" + port + path)).build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    /** SIGKILL; returns when the process is gone. */
    void kill() {
        process.destroyForcibly();
        waitForEnd();
    }

    /** SIGSTOP: the process stands still until {@link #resume}. */
    void pause() {
        signal("-STOP");
    }

    void resume() {
        signal("-CONT");
    }

    private void signal(String name) {
        try {
            Process kill = new ProcessBuilder("kill", name, Long.toString(process.pid())).start();
            if (kill.waitFor() != 0) {
                throw new AssertionError("kill " + name + " failed");
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    private void waitForEnd() {
        try {
            process.waitFor();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    @Override
    public void close() {
        kill();
    }
}
