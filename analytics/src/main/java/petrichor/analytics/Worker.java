package petrichor.analytics;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.analytics.worker.WorkerMain;

/**
 * The process that runs DuckDB, from its start to its end. It ends when its standard input does:
 * never later than this process. Thread-safe.
 */
final class Worker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
    private static final long END_WAIT_S = 10;

    /** Heap of the process in MiB; DuckDB's own memory comes on top. */
    private static final int HEAP_MIB = 512;

    /** Lower priority than the server, so that commits go first. */
    private static final int NICENESS = 10;

    private static final Path NICE = Path.of("/usr/bin/nice");
    private static final String SOCKET = "worker.socket";

    /** Linux accepts 107 bytes. */
    private static final int SOCKET_LENGTH_MAX = 100;

    private final Process process;
    private final Path folder;
    private final Path socket;

    private Worker(Process process, Path folder, Path socket) {
        this.process = process;
        this.folder = folder;
        this.socket = socket;
    }

    /** Returns when the worker accepts connections. */
    static Worker start(AnalyticsSettings settings) {
        try {
            Path folder = emptied(settings.folder());
            Path socket = socket(folder);
            Process process =
                    new ProcessBuilder(command(settings, folder, socket))
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            Worker worker = new Worker(process, folder, socket);
            BufferedReader said =
                    new BufferedReader(
                            new InputStreamReader(
                                    process.getInputStream(), StandardCharsets.UTF_8));
            String line = said.readLine();
            while (line != null && !line.equals(WorkerMain.READY)) {
                line = said.readLine(); // flags of the environment make the JVM print
            }
            if (line == null) {
                String ending = worker.ending();
                worker.close();
                throw AnalyticsFailures.workerEnded(ending, new IOException("no answer"));
            }
            LOG.info("Analytics: the worker has process id {}", process.pid());
            return worker;
        } catch (IOException failed) {
            throw AnalyticsFailures.workerEnded("it did not start", failed);
        }
    }

    private static List<String> command(AnalyticsSettings settings, Path folder, Path socket) {
        List<String> command = new ArrayList<>();
        if (Files.isExecutable(NICE)) {
            command.addAll(List.of(NICE.toString(), "-n", Integer.toString(NICENESS)));
        }
        command.addAll(
                List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-Xmx" + HEAP_MIB + "m",
                        "-XX:ErrorFile=" + folder.resolve("crash.log"),
                        "-Djava.io.tmpdir=" + folder,
                        "-cp",
                        System.getProperty("java.class.path"),
                        WorkerMain.class.getName(),
                        folder.toString(),
                        socket.toString(),
                        Long.toString(settings.memoryBytes()),
                        Long.toString(settings.diskBytes()),
                        Integer.toString(settings.threads())));
        return command;
    }

    private static Path emptied(Path folder) throws IOException {
        Analytics.delete(folder);
        Files.createDirectories(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        return folder.toAbsolutePath();
    }

    /** In a folder for temporary files if the path is too long for an address. */
    private static Path socket(Path folder) throws IOException {
        Path socket = folder.resolve(SOCKET);
        return socket.toString().length() <= SOCKET_LENGTH_MAX
                ? socket
                : Files.createTempDirectory("petrichor-analytics").resolve(SOCKET);
    }

    Wire connect() throws IOException {
        return Wire.connect(socket);
    }

    boolean alive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** How the process ended, as far as known. */
    String ending() {
        try {
            return process.waitFor(1, TimeUnit.SECONDS)
                    ? "exit status " + process.exitValue()
                    : "the connection ended";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(END_WAIT_S, TimeUnit.SECONDS);
            Analytics.delete(folder);
            Path around = socket.getParent();
            if (around != null && !socket.startsWith(folder)) {
                Analytics.delete(around);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
