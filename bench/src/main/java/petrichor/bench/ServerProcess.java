package petrichor.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import petrichor.testing.process.Program;
import petrichor.testing.process.RunningProcess;

/** A server under measurement, in a process of its own, which ends on close. */
public final class ServerProcess implements AutoCloseable {
    private static final Duration READY_WITHIN = Duration.ofSeconds(60);
    private static final Duration STOP_WITHIN = Duration.ofSeconds(20);

    private final RunningProcess process;
    private final int port;
    private final Duration readyAfter;

    private ServerProcess(RunningProcess process, int port, Duration readyAfter) {
        this.process = process;
        this.port = port;
        this.readyAfter = readyAfter;
    }

    /** Petrichor as started by users, on a folder or, if that is null, in memory. */
    static ServerProcess petrichor(List<String> storage) {
        return petrichor(storage, Map.of());
    }

    /** The same with settings in environment variables. */
    public static ServerProcess petrichor(List<String> storage, Map<String, String> settings) {
        int port = freePort();
        List<String> arguments = new ArrayList<>(List.of("up"));
        arguments.addAll(storage);
        arguments.addAll(List.of("--port", Integer.toString(port)));
        return start(Program.petrichor(List.of(), arguments), port, settings);
    }

    /** The echo ceiling: answers {@code method} with the content of the file. */
    static ServerProcess echo(String method, Path answer) {
        int port = freePort();
        return start(
                Program.main(
                        EchoServer.class.getName(),
                        Program.LAUNCHER_FLAGS,
                        List.of(method, answer.toString(), Integer.toString(port))),
                port,
                Map.of());
    }

    /** Any other server that listens on {@code port} of the loopback address. */
    public static ServerProcess start(
            List<String> command, int port, Map<String, String> environment) {
        long began = System.nanoTime();
        try {
            Path log = Files.createTempFile("petrichor-bench-", ".log");
            log.toFile().deleteOnExit();
            // Some peers write files to their working directory.
            Path folder = Files.createTempDirectory("petrichor-bench-");
            folder.toFile().deleteOnExit();
            ProcessBuilder builder =
                    new ProcessBuilder(command)
                            .directory(folder.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile());
            builder.environment().putAll(environment);
            RunningProcess process = RunningProcess.start(builder);
            while (!accepts(port)) {
                if (!process.alive() || System.nanoTime() - began > READY_WITHIN.toNanos()) {
                    process.kill();
                    throw new IllegalStateException(
                            "a server did not start: "
                                    + String.join(" ", command)
                                    + "\n"
                                    + Files.readString(log, StandardCharsets.UTF_8));
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
            return new ServerProcess(process, port, Duration.ofNanos(System.nanoTime() - began));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    public static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static boolean accepts(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }

    public int port() {
        return port;
    }

    /** From the start of the process until its port accepted a connection. */
    Duration readyAfter() {
        return readyAfter;
    }

    /** Resident memory in MiB, as reported by the operating system; -1 where it is unknown. */
    public double residentMiB() {
        OptionalLong bytes = process.residentBytes();
        return bytes.isPresent() ? bytes.getAsLong() / (double) (1 << 20) : -1;
    }

    /** The same, together with all of its descendants. */
    public double treeMiB() {
        return Stream.concat(
                                Stream.of(process.process().toHandle()),
                                process.process().descendants())
                        .mapToDouble(each -> RunningProcess.residentBytes(each.pid()).orElse(0))
                        .sum()
                / (1 << 20);
    }

    /** Processor time used so far. */
    public Duration cpu() {
        return process.cpu();
    }

    /** The same, together with all of its descendants that still run. */
    public Duration treeCpu() {
        return process.process()
                .descendants()
                .map(each -> each.info().totalCpuDuration().orElse(Duration.ZERO))
                .reduce(cpu(), Duration::plus);
    }

    /** Ends the process with SIGKILL. */
    public void kill() {
        process.kill();
    }

    @Override
    public void close() {
        process.stop(STOP_WITHIN);
    }
}
