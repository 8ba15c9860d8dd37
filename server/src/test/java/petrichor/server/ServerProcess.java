package petrichor.server;

import static java.util.Objects.requireNonNull;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;
import petrichor.server.logs.Logging;
import petrichor.testing.process.Program;
import petrichor.testing.process.RunningProcess;

/**
 * A server in a separate process, for tests of process resources (open files, memory, the log) and
 * of crashes. It ends with its test, even if that is killed.
 */
final class ServerProcess implements AutoCloseable {
    private final RunningProcess process;
    private final BufferedReader output;
    private final int port;

    private ServerProcess(RunningProcess process) throws IOException {
        this.process = process;
        this.output = process.process().inputReader(StandardCharsets.UTF_8);
        String first = output.readLine();
        if (first == null) {
            throw new IOException("the server did not start; its log is on standard error");
        }
        this.port = Integer.parseInt(first);
    }

    /**
     * With data in memory.
     *
     * @param log destination of its standard error
     */
    static ServerProcess start(ProcessBuilder.Redirect log, String... jvmFlags) {
        return start(log, List.of(jvmFlags), List.of());
    }

    /** With data in a folder. */
    static ServerProcess start(ProcessBuilder.Redirect log, Path data, String... jvmFlags) {
        return start(log, List.of(jvmFlags), List.of(data.toString()));
    }

    /**
     * @param app where the project {@code demo} receives requests
     */
    static ServerProcess start(ProcessBuilder.Redirect log, Path data, URI app) {
        return start(log, List.of(), List.of(data.toString(), app.toString()));
    }

    /**
     * With data in memory.
     *
     * @param settings environment variables
     */
    static ServerProcess start(ProcessBuilder.Redirect log, Map<String, String> settings) {
        return start(log, List.of(), List.of(), settings);
    }

    private static ServerProcess start(
            ProcessBuilder.Redirect log, List<String> jvmFlags, List<String> arguments) {
        return start(log, jvmFlags, arguments, Map.of());
    }

    private static ServerProcess start(
            ProcessBuilder.Redirect log,
            List<String> jvmFlags,
            List<String> arguments,
            Map<String, String> settings) {
        ProcessBuilder command =
                new ProcessBuilder(
                        Program.main(ServerProcess.class.getName(), jvmFlags, arguments));
        command.environment().putAll(settings);
        try {
            return new ServerProcess(RunningProcess.start(command.redirectError(log)));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    int port() {
        return port;
    }

    /** Empty if the operating system does not report it. */
    OptionalLong residentBytes() {
        return process.residentBytes();
    }

    /** Sends SIGKILL. */
    void kill() {
        process.kill();
    }

    /** Requests an orderly shutdown and waits for it. */
    @Override
    public void close() {
        try {
            process.process().getOutputStream().close();
            process.process().onExit().join();
        } catch (IOException failed) {
            process.kill();
        }
    }

    /**
     * @param arguments the folder of the data, none for data in memory; the URL of the app {@code
     *     demo}
     */
    public static void main(String[] arguments) throws IOException {
        Logging.install(
                new ServerConfig.Log(
                        ServerConfig.Log.Format.JSON,
                        ServerConfig.Log.Level.DEBUG,
                        ServerConfig.defaults().log().audit(),
                        ServerConfig.defaults().log().traces()));
        ServerConfig config =
                ServerConfig.of(Settings.read(Optional.empty(), System.getenv(), Map.of()))
                        .withPort(0);
        ServerConfig stored =
                arguments.length == 0
                        ? config.withMemory()
                        : config.withData(Path.of(arguments[0]));
        ServerConfig complete =
                arguments.length < 2
                        ? stored
                        : stored.withApps(
                                stored.apps()
                                        .withTargets(Map.of("demo", URI.create(arguments[1]))));
        try (Server server = Server.start(complete)) {
            System.out.println(server.port());
            var input = new InputStreamReader(requireNonNull(System.in), StandardCharsets.UTF_8);
            while (input.read() >= 0) {
                // only the end of the output matters
            }
        }
    }
}
