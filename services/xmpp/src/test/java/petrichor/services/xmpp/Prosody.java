package petrichor.services.xmpp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A real XMPP server: Prosody, with the script that examples use. */
final class Prosody implements AutoCloseable {
    static final String DOMAIN = "apps.test";
    static final String PASSWORD = "s3cret";
    private static final Duration READY_MAX = Duration.ofMinutes(1);

    private final Path folder;
    private final int port;
    private final Optional<TestCertificate> certificate;
    private @Nullable Process process;

    private Prosody(Path folder, int port, Optional<TestCertificate> certificate) {
        this.folder = folder;
        this.port = port;
        this.certificate = certificate;
    }

    static Prosody start(Path folder) throws Exception {
        return start(folder, Optional.empty());
    }

    static Prosody start(Path folder, Optional<TestCertificate> certificate) throws Exception {
        Prosody prosody =
                new Prosody(Files.createDirectories(folder), freePort(), certificate);
        prosody.start();
        return prosody;
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    void start() throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of("..", "..", "testing", "prosody").toString(),
                                folder.toString(),
                                Integer.toString(port),
                                DOMAIN,
                                PASSWORD));
        certificate.ifPresent(
                one -> command.addAll(List.of(one.chain().toString(), one.key().toString())));
        Process started =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("output").toFile())
                        .start();
        process = started;
        Instant end = Instant.now().plus(READY_MAX);
        while (!listens()) {
            if (!started.isAlive() || Instant.now().isAfter(end)) {
                throw new AssertionError(
                        "prosody does not start: " + Files.readString(folder.resolve("output")));
            }
            Thread.onSpinWait();
        }
    }

    private boolean listens() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** kill -9 */
    void kill() {
        Process running = process;
        if (running != null) {
            running.destroyForcibly().onExit().join();
        }
    }

    void pause(boolean paused) throws Exception {
        Process running = process;
        if (running != null) {
            Process kill =
                    new ProcessBuilder(
                                    "kill", paused ? "-STOP" : "-CONT", Long.toString(running.pid()))
                            .start();
            kill.waitFor(1, TimeUnit.MINUTES);
        }
    }

    XmppSettings settings() {
        return new XmppSettings(
                "127.0.0.1",
                port,
                DOMAIN,
                certificate.isPresent()
                        ? XmppSettings.Security.STARTTLS
                        : XmppSettings.Security.NONE,
                new XmppSettings.Login("admin", PASSWORD),
                certificate.map(TestCertificate::chain));
    }

    @Override
    public void close() {
        kill();
    }
}
