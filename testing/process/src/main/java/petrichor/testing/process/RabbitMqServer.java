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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * A RabbitMQ node of the distribution's package, on free ports of the loopback interface, with its
 * own data folder, name and port mapper. Messages are durable: they survive {@link #kill} and
 * {@link #start}, but not {@link #wipe}. Thread-safe.
 */
public final class RabbitMqServer implements AutoCloseable {
    private static final Path INSTALLED = Path.of("/usr/lib/rabbitmq/lib");

    /** As in the package's unit of systemd. */
    private static final Duration START_MAX = Duration.ofMinutes(10);

    /**
     * Like that unit, starts a node again that ends while it starts: Erlang's timeouts expire on a
     * machine under load.
     */
    private static final int LAUNCHES_MAX = 3;

    /** Below the ephemeral ports: a client of any process takes one of those during a restart. */
    private static final int PORT_FIRST = 22_000;

    private static final int PORT_END = 32_000;

    /** The header of AMQP 0-9-1, with which a client begins. */
    private static final byte[] GREETING = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};

    /** The type of the frame with which a node that is ready answers. */
    private static final int METHOD_FRAME = 1;

    private final Path folder;
    private final int port = freePort();
    private final int distributionPort = freePort();
    private final int mapperPort = freePort();
    private final RunningProcess mapper;
    private RunningProcess node;

    private RabbitMqServer(Path folder) {
        this.folder = folder.toAbsolutePath();
        write(this.folder.resolve("plugins"), "[].\n");
        this.mapper =
                RunningProcess.start(
                        command(
                                "mapper.log",
                                List.of("epmd", "-port", String.valueOf(mapperPort))));
        this.node = launch();
    }

    /** Whether the package rabbitmq-server is installed. */
    public static boolean installed() {
        return Files.isDirectory(INSTALLED);
    }

    /**
     * Starts a node with an empty data folder, and waits until it accepts clients.
     *
     * @param folder for its files; exists
     */
    public static RabbitMqServer in(Path folder) {
        RabbitMqServer server = new RabbitMqServer(folder);
        try {
            server.awaitReady();
            return server;
        } catch (RuntimeException failed) {
            server.close();
            throw failed;
        }
    }

    private static int freePort() {
        return ThreadLocalRandom.current()
                .ints(PORT_FIRST, PORT_END)
                .filter(RabbitMqServer::free)
                .findFirst()
                .orElseThrow();
    }

    private static boolean free(int port) {
        try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private ProcessBuilder command(String log, List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        Map<String, String> environment = builder.environment();
        environment.put("HOME", folder.toString());
        environment.put("ERL_EPMD_ADDRESS", "127.0.0.1");
        environment.put("ERL_EPMD_PORT", String.valueOf(mapperPort));
        return builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve(log).toFile()));
    }

    private static Path program() {
        try (Stream<Path> versions = Files.list(INSTALLED)) {
            return versions.max(Comparator.naturalOrder())
                    .orElseThrow()
                    .resolve("sbin/rabbitmq-server");
        } catch (IOException missing) {
            throw new UncheckedIOException("install the package rabbitmq-server", missing);
        }
    }

    private RunningProcess launch() {
        ProcessBuilder builder = command("node.log", List.of(program().toString()));
        Map<String, String> environment = builder.environment();
        // The script then becomes the node, instead of starting it as a child.
        environment.put("NOTIFY_SOCKET", folder.resolve("none").toString());
        environment.put("RABBITMQ_NODENAME", "petrichor" + port + "@localhost");
        environment.put("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1");
        environment.put("RABBITMQ_NODE_PORT", String.valueOf(port));
        environment.put("RABBITMQ_DIST_PORT", String.valueOf(distributionPort));
        environment.put("RABBITMQ_MNESIA_BASE", folder.resolve("data").toString());
        environment.put("RABBITMQ_LOG_BASE", folder.resolve("log").toString());
        environment.put("RABBITMQ_LOGS", "-");
        environment.put("RABBITMQ_ENABLED_PLUGINS_FILE", folder.resolve("plugins").toString());
        environment.put("RABBITMQ_CONF_ENV_FILE", folder.resolve("environment").toString());
        environment.put("RABBITMQ_CONFIG_FILE", folder.resolve("settings").toString());
        environment.put(
                "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
                "-start_epmd false -kernel inet_dist_use_interface {127,0,0,1}");
        return RunningProcess.start(builder);
    }

    private void awaitReady() {
        long until = System.nanoTime() + START_MAX.toNanos();
        for (int launches = 1; !answers(); Pause.briefly()) {
            if (System.nanoTime() - until > 0 || (!node.alive() && launches == LAUNCHES_MAX)) {
                throw new IllegalStateException(
                        "RabbitMQ did not start; see " + folder.resolve("node.log"));
            }
            if (!node.alive()) {
                node = launch();
                launches++;
            }
        }
    }

    /** Completes the first step of the protocol. */
    private boolean answers() {
        try (Socket socket = new Socket()) {
            int timeout = Math.toIntExact(Duration.ofSeconds(5).toMillis());
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), timeout);
            socket.setSoTimeout(timeout);
            socket.getOutputStream().write(GREETING);
            return socket.getInputStream().read() == METHOD_FRAME;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Of its default user. */
    public String url() {
        return "amqp://guest:guest@127.0.0.1:" + port + "/%2F";
    }

    /** Sends SIGKILL. */
    public synchronized void kill() {
        node.kill();
    }

    /** Starts the node again after {@link #kill}, and waits until it accepts clients. */
    public synchronized void start() {
        if (node.alive()) {
            throw new IllegalStateException("RabbitMQ is running");
        }
        node = launch();
        awaitReady();
    }

    /** Deletes all data after {@link #kill}. */
    public synchronized void wipe() {
        try (Stream<Path> files = Files.walk(folder.resolve("data"))) {
            files.sorted(Comparator.reverseOrder()).forEach(RabbitMqServer::delete);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Sends SIGSTOP. */
    public synchronized void pause() {
        node.pause();
    }

    /** Sends SIGCONT. */
    public synchronized void resume() {
        node.resume();
    }

    @Override
    public synchronized void close() {
        node.kill();
        mapper.kill();
    }
}
