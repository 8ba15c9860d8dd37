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

/** A {@code petrichor server} process on a free port. Killed when it is closed. */
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
     * Returns when the server has reported that it is ready; fails with its log if it ends before.
     *
     * @param flags of the command, except for the port
     * @param environment additional variables
     * @param log receives its standard error
     */
    public static PetrichorServer start(
            List<String> flags, Map<String, String> environment, Path log) {
        return start(List.of(), flags, environment, log);
    }

    /** Starts the server through another command. */
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
        long started = System.nanoTime();
        RunningProcess process = RunningProcess.start(command);
        try {
            int port = readPort(process.process().inputReader(), log);
            return new PetrichorServer(
                    process, port, Duration.ofNanos(System.nanoTime() - started));
        } catch (IOException failed) {
            process.kill();
            throw new UncheckedIOException(failed);
        }
    }

    /**
     * Like {@link #start}, with a limit on open files.
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
                "the server did not start; its output:\n" + Files.readString(log));
    }

    public RunningProcess process() {
        return process;
    }

    /** Sends SIGKILL; returns when the process has ended. */
    public void kill() {
        process.kill();
    }

    /** Sends SIGSTOP: the process is suspended until {@link #resume}. */
    public void pause() {
        process.pause();
    }

    public void resume() {
        process.resume();
    }

    public int port() {
        return port;
    }

    /** Time from the start of the process to its report that it is ready. */
    public Duration startup() {
        return startup;
    }

    /** Reads one of the server's pages. */
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
