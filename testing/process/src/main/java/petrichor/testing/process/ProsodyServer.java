package petrichor.testing.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The XMPP server Prosody of the distribution's package, on a free port of the loopback interface,
 * with the script {@code testing/prosody}. Accounts survive {@link #kill} and {@link #start}.
 */
public final class ProsodyServer implements AutoCloseable {
    public static final String DOMAIN = "apps.test";

    /** Of the account that may create others. */
    public static final String ADMIN = "admin";

    public static final String PASSWORD = "s3cret";

    private static final Path INSTALLED = Path.of("/usr/bin/prosodyctl");
    private static final Path SCRIPT = Path.of("testing", "prosody");
    private static final Duration START_MAX = Duration.ofMinutes(2);

    private final Path folder;
    private final int port;
    private final Optional<Tls> tls;
    private RunningProcess process;

    /** Files in PEM format. */
    public record Tls(Path certificate, Path key) {}

    private ProsodyServer(Path folder, Optional<Tls> tls) {
        this.folder = folder.toAbsolutePath();
        this.tls = tls;
        this.port = freePort();
        this.process = launch();
    }

    /** Whether the package prosody is installed. */
    public static boolean installed() {
        return Files.exists(INSTALLED);
    }

    /** Without accounts but the administrator's; waits until it accepts clients. */
    public static ProsodyServer in(Path folder) {
        return in(folder, Optional.empty());
    }

    /**
     * @param tls empty if clients do not encrypt
     */
    public static ProsodyServer in(Path folder, Optional<Tls> tls) {
        try {
            ProsodyServer server = new ProsodyServer(Files.createDirectories(folder), tls);
            server.awaitReady();
            return server;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static int freePort() {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** In the closest parent of the working directory. */
    private static Path script() {
        Path parent = Path.of("").toAbsolutePath();
        while (parent != null && !Files.exists(parent.resolve(SCRIPT))) {
            parent = parent.getParent();
        }
        if (parent == null) {
            throw new IllegalStateException("run the tests in the repository");
        }
        return parent.resolve(SCRIPT);
    }

    private RunningProcess launch() {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                script().toString(),
                                folder.toString(),
                                Integer.toString(port),
                                DOMAIN,
                                PASSWORD));
        tls.ifPresent(
                one -> command.addAll(List.of(one.certificate().toString(), one.key().toString())));
        return RunningProcess.start(
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(
                                ProcessBuilder.Redirect.appendTo(
                                        folder.resolve("output").toFile())));
    }

    private void awaitReady() {
        long until = System.nanoTime() + START_MAX.toNanos();
        while (!accepts()) {
            if (System.nanoTime() - until > 0 || !process.alive()) {
                process.close();
                throw new IllegalStateException(
                        "Prosody did not start; see " + folder.resolve("output"));
            }
            Pause.briefly();
        }
    }

    private boolean accepts() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    public int port() {
        return port;
    }

    /** Sends SIGKILL. */
    public void kill() {
        process.kill();
    }

    /** Starts it again after {@link #kill}, and waits until it accepts clients. */
    public void start() {
        process = launch();
        awaitReady();
    }

    public void pause() {
        process.pause();
    }

    public void resume() {
        process.resume();
    }

    @Override
    public void close() {
        process.close();
    }
}
