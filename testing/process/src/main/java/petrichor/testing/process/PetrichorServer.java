package petrichor.testing.process;

import java.io.BufferedReader;
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

/** {@code petrichor server} on a port of its own choice. Killed when it is closed. */
public final class PetrichorServer implements AutoCloseable {
    private static final String ADDRESS = "DATASTORE_EMULATOR_HOST=";
    private static final Duration PAGE_PATIENCE = Duration.ofSeconds(10);

    private final RunningProcess process;
    private final int port;
    private final Duration startup;

    private PetrichorServer(RunningProcess process, int port, Duration startup) {
        this.process = process;
        this.port = port;
        this.startup = startup;
    }

    /**
     * Returns when it has said that it is ready; fails with its log if it ends before.
     *
     * @param flags of the command, beside the port
     * @param environment what it has beside ours
     * @param log what it says on standard error is added there
     */
    public static PetrichorServer start(
            List<String> flags, Map<String, String> environment, Path log) {
        return start(List.of(), flags, environment, log);
    }

    /** The command as arguments of another one. */
    private static PetrichorServer start(
            List<String> wrapper, List<String> flags, Map<String, String> environment, Path log) {
        List<String> arguments = new ArrayList<>(List.of("server", "--port", "0"));
        arguments.addAll(flags);
        List<String> program = new ArrayList<>(wrapper);
        program.addAll(Program.petrichor(List.of(), arguments));
        ProcessBuilder command =
                new ProcessBuilder(program)
                        .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        command.environment().putAll(environment);
        long begun = System.nanoTime();
        RunningProcess process = RunningProcess.start(command);
        try {
            int port = readPort(process.process().inputReader(), log);
            return new PetrichorServer(process, port, Duration.ofNanos(System.nanoTime() - begun));
        } catch (IOException failed) {
            process.kill();
            throw new UncheckedIOException(failed);
        }
    }

    /**
     * The same with a limit of open files.
     *
     * @param handles {@code ulimit -n} of the process
     */
    public static PetrichorServer startWithHandles(
            int handles, List<String> flags, Map<String, String> environment, Path log) {
        return start(
                List.of("bash", "-c", "ulimit -n " + handles + " && exec \"$@\"", "bash"),
                flags,
                environment,
                log);
    }

    private static int readPort(BufferedReader output, Path log) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.contains(ADDRESS)) {
                return Integer.parseInt(line.substring(line.lastIndexOf(':') + 1).strip());
            }
        }
        throw new IllegalStateException(
                "the server did not start; it says:\n" + Files.readString(log));
    }

    public RunningProcess process() {
        return process;
    }

    /** SIGKILL; returns when the process is gone. */
    public void kill() {
        process.kill();
    }

    /** SIGSTOP: the process stands still until {@link #resume}. */
    public void pause() {
        process.pause();
    }

    public void resume() {
        process.resume();
    }

    public int port() {
        return port;
    }

    /** From the start of the process to the line that says it is ready. */
    public Duration startup() {
        return startup;
    }

    /** A page for operators. */
    public HttpResponse<String> get(String path) throws IOException, InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(
                    HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                            .timeout(PAGE_PATIENCE)
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    @Override
    public void close() {
        process.kill();
    }
}
