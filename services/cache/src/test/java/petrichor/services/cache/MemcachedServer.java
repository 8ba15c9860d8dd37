package petrichor.services.cache;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A memcached server of the distribution's package, on a free port of the loopback interface. */
final class MemcachedServer implements AutoCloseable {
    private static final long START_NANOS_MAX = 30_000_000_000L;

    private final Process process;
    private final InetSocketAddress address;

    private MemcachedServer(Process process, InetSocketAddress address) {
        this.process = process;
        this.address = address;
    }

    static Optional<Path> program() {
        return Stream.of("/usr/bin/memcached", "/usr/local/bin/memcached")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
    }

    static MemcachedServer start() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, loopback)) {
            port = free.getLocalPort();
        }
        List<String> command =
                new ArrayList<>(
                        List.of(
                                program().orElseThrow().toString(),
                                "-l",
                                loopback.getHostAddress(),
                                "-p",
                                String.valueOf(port),
                                "-U",
                                "0",
                                "-m",
                                "64"));
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("-u", "nobody"));
        }
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        MemcachedServer server =
                new MemcachedServer(process, new InetSocketAddress(loopback, port));
        long until = System.nanoTime() + START_NANOS_MAX;
        while (!server.answers()) {
            if (System.nanoTime() - until > 0 || !process.isAlive()) {
                server.close();
                throw new IOException("memcached did not start");
            }
            Thread.onSpinWait();
        }
        return server;
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(address, 1_000);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    InetSocketAddress address() {
        return address;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
