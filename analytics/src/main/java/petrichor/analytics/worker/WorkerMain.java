package petrichor.analytics.worker;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.sql.SQLException;
import petrichor.analytics.Wire;

/**
 * The program of the worker: folder, path of the socket, bytes of memory, bytes of disk, threads.
 * Prints a line when it accepts connections, and ends when its standard input does.
 */
public final class WorkerMain {
    /** The line that the process prints when it accepts connections. */
    public static final String READY = "ready";

    private WorkerMain() {}

    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        DuckLimits limits =
                new DuckLimits(
                        Long.parseLong(args[2]),
                        Long.parseLong(args[3]),
                        Integer.parseInt(args[4]));
        Thread.ofPlatform().daemon().name("parent").start(WorkerMain::endWithParent);
        Loads loads = new Loads();
        DuckDatabases databases = new DuckDatabases(folder, limits, loads);
        try (ServerSocketChannel listening =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listening.bind(UnixDomainSocketAddress.of(Path.of(args[1])));
            System.out.println(READY);
            System.out.flush();
            while (true) {
                SocketChannel channel = listening.accept();
                Thread.ofPlatform()
                        .daemon()
                        .name("connection")
                        .start(() -> serve(new Wire(channel), databases, loads));
            }
        }
    }

    private static void serve(Wire wire, DuckDatabases databases, Loads loads) {
        try {
            if (wire.in().readByte() == Wire.STREAM) {
                loads.arrived(wire.takeText(), wire); // closed by the load
                return;
            }
            try (wire;
                    WorkerSession session =
                            new WorkerSession(wire, databases.open(wire.takeText()), loads)) {
                session.run();
            }
        } catch (IOException | SQLException ended) {
            wire.close();
        }
    }

    private static void endWithParent() {
        try {
            while (System.in.read() >= 0) {
                // Nothing is said.
            }
        } catch (IOException e) {
            // The parent has ended.
        }
        Runtime.getRuntime().halt(0);
    }
}
