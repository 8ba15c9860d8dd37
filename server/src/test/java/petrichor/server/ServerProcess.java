package petrichor.server;

import static java.util.Objects.requireNonNull;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A server in memory in a process of its own, for tests about what a process has: open files,
 * memory, a log. It ends with its test, even if that is killed.
 */
final class ServerProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;
    private final int port;

    private ServerProcess(Process process) throws IOException {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
        String first = output.readLine();
        if (first == null) {
            throw new IOException("the server did not start; its log is on standard error");
        }
        this.port = Integer.parseInt(first);
    }

    /**
     * @param log where its standard error goes
     */
    static ServerProcess start(ProcessBuilder.Redirect log, String... jvmFlags) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("--sun-misc-unsafe-memory-access=allow");
        command.addAll(List.of(jvmFlags));
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(ServerProcess.class.getName());
        try {
            return new ServerProcess(new ProcessBuilder(command).redirectError(log).start());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    int port() {
        return port;
    }

    /** Empty where the operating system does not tell. */
    OptionalLong residentBytes() throws IOException {
        Path status = Path.of("/proc/" + process.pid() + "/status");
        if (!Files.isReadable(status)) {
            return OptionalLong.empty();
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                .findFirst();
    }

    /** Asks for an orderly end and waits for it. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            var _ = process.waitFor();
        } catch (IOException failed) {
            process.destroyForcibly();
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] none) throws IOException {
        Logging.install(
                new ServerConfig.Log(ServerConfig.Log.Format.JSON, ServerConfig.Log.Level.DEBUG));
        try (Server server = Server.start(ServerConfig.defaults().withMemory().withPort(0))) {
            System.out.println(server.port());
            var input = new InputStreamReader(requireNonNull(System.in), StandardCharsets.UTF_8);
            while (input.read() >= 0) {
                // whatever is said, only the end of it counts
            }
        }
    }
}
