package petrichor.testing.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Let's Encrypt's test server for ACME, on free ports of the loopback interface. It refuses part of
 * all nonces, and validates hosts by a DNS server in this process that knows all names but those of
 * {@link #forget}.
 */
public final class PebbleServer implements AutoCloseable {
    /** A host for which it issues no certificates. */
    public static final String BLOCKED = "blocked-domain.example";

    private static final String PACKAGE = "github.com/letsencrypt/pebble/v2/cmd/pebble";
    private static final String VERSION = "v2.10.2";
    private static final Duration START_MAX = Duration.ofMinutes(2);

    private final Path folder;
    private final Path authority;
    private final int port;
    private final NameServer names = new NameServer();
    private final RunningProcess process;

    /**
     * @param certificate of the server itself, for {@code localhost}
     * @param authority that issued it
     */
    public record Identity(Path certificate, Path key, Path authority) {}

    private PebbleServer(Path folder, Identity identity, int httpPort) {
        this.folder = folder;
        this.authority = identity.authority();
        this.port = freePort();
        this.process = launch(identity, httpPort);
    }

    /**
     * Waits until it accepts clients.
     *
     * @param folder for its log and configuration
     * @param httpPort where it expects the answers to challenges
     */
    public static PebbleServer start(Path folder, Identity identity, int httpPort) {
        PebbleServer server = new PebbleServer(folder, identity, httpPort);
        long until = System.nanoTime() + START_MAX.toNanos();
        while (!server.accepts()) {
            if (System.nanoTime() - until > 0 || !server.process.alive()) {
                server.close();
                throw new IllegalStateException("Pebble did not start; see " + folder);
            }
            Pause.briefly();
        }
        return server;
    }

    private RunningProcess launch(Identity identity, int httpPort) {
        try {
            Files.createDirectories(folder);
            Path configuration =
                    Files.writeString(
                            folder.resolve("pebble.json"),
                            """
                            {"pebble": {
                              "listenAddress": "127.0.0.1:%d",
                              "managementListenAddress": "127.0.0.1:%d",
                              "certificate": "%s",
                              "privateKey": "%s",
                              "httpPort": %d,
                              "tlsPort": 1,
                              "domainBlocklist": ["%s"],
                              "retryAfter": {"authz": 1, "order": 1},
                              "keyAlgorithm": "ecdsa",
                              "profiles": {"default": {"description": "", "validityPeriod": 7776000}}
                            }}
                            """
                                    .formatted(
                                            port,
                                            freePort(),
                                            identity.certificate(),
                                            identity.key(),
                                            httpPort,
                                            BLOCKED));
            ProcessBuilder command =
                    new ProcessBuilder(
                                    GoTool.install(PACKAGE, VERSION).toString(),
                                    "-config",
                                    configuration.toString(),
                                    "-dnsserver",
                                    "127.0.0.1:" + names.port())
                            .redirectErrorStream(true)
                            .redirectOutput(folder.resolve("pebble.log").toFile());
            command.environment().put("PEBBLE_VA_NOSLEEP", "1");
            command.environment().put("PEBBLE_WFE_NONCEREJECT", "30"); // percent
            command.environment().put("PEBBLE_AUTHZREUSE", "0");
            return RunningProcess.start(command);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
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

    private static int freePort() {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    public URI directory() {
        return URI.create("https://localhost:" + port + "/dir");
    }

    /** The authority that issued the server's own certificate. */
    public Path authority() {
        return authority;
    }

    /** The host no longer has an address. */
    public void forget(String host) {
        names.forget(host);
    }

    /** The host has an address again. */
    public void remember(String host) {
        names.remember(host);
    }

    /** What it has logged so far. */
    public String log() {
        try {
            return Files.readString(folder.resolve("pebble.log"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() {
        process.close();
        names.close();
    }
}
