package petrichor.testing.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import petrichor.deployment.Host;

/**
 * A network of loopback addresses with a proxy per link; needs no privileges. A cut link forwards
 * nothing and closes no connection, as when packets are dropped; bytes in transit arrive when the
 * link is restored.
 *
 * <p>Only connections through {@link #route} can be cut: drivers that discover nodes connect to
 * them directly. All servers reach another server at its single announced address, so that a cut
 * between two servers disconnects each of them from all others.
 *
 * <p>Thread-safe.
 */
final class Proxies implements Network {
    private static final String ADDRESS = "127.0.0.1";

    /** Schemes of stores whose drivers discover the other nodes. */
    private static final Set<String> FIND_NODES_THEMSELVES = Set.of("cassandra", "hbase");

    private static final int BACKLOG = 256;
    private static final int CHUNK_BYTES = 16 * 1024;

    /** Source and destination of a link. */
    private record Ends(String from, String to, String address) {}

    private final Map<Ends, Cable> cables = new LinkedHashMap<>();
    private boolean closed;

    @Override
    public String host(String name) {
        return ADDRESS;
    }

    @Override
    public List<String> on(String name, List<String> command) {
        return command;
    }

    @Override
    public Host asHost(String name) {
        return new Host.ThisMachine();
    }

    @Override
    public synchronized String route(String from, String to, String address) {
        if (closed) {
            throw new IllegalStateException("the network is closed");
        }
        return cables.computeIfAbsent(new Ends(from, to, address), Cable::new).address();
    }

    @Override
    public boolean cutsFromStore(String scheme) {
        return !FIND_NODES_THEMSELVES.contains(scheme);
    }

    @Override
    public boolean cutsWithinStore() {
        return false;
    }

    @Override
    public synchronized void cut(String one, String other) {
        cables.forEach(
                (ends, cable) -> {
                    if (joins(ends, one, other) || joins(ends, other, one)) {
                        cable.open(false);
                    }
                });
    }

    private static boolean joins(Ends ends, String from, String to) {
        return ends.to().equals(to) && (ends.from().equals(from) || ends.from().equals(ANYBODY));
    }

    @Override
    public synchronized void heal() {
        cables.values().forEach(cable -> cable.open(true));
    }

    @Override
    public synchronized void close() {
        closed = true;
        cables.values().forEach(Cable::close);
    }

    /** A link: a listening socket, and the connections through it. */
    private static final class Cable {
        private final InetSocketAddress target;
        private final ServerSocket entrance;
        private final List<Socket> sockets = new ArrayList<>();
        private boolean whole = true;

        Cable(Ends ends) {
            int colon = ends.address().lastIndexOf(':');
            target =
                    new InetSocketAddress(
                            ends.address().substring(0, colon),
                            Integer.parseInt(ends.address().substring(colon + 1)));
            try {
                entrance = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
            Thread.ofVirtual().name("link to " + ends.to()).start(this::accept);
        }

        String address() {
            return ADDRESS + ":" + entrance.getLocalPort();
        }

        synchronized void open(boolean open) {
            whole = open;
            notifyAll();
        }

        private synchronized void awaitWhole() throws InterruptedException {
            while (!whole) {
                wait();
            }
        }

        private void accept() {
            try {
                while (true) {
                    Socket near = keep(entrance.accept());
                    Thread.ofVirtual().start(() -> join(near));
                }
            } catch (IOException closed) {
                // The network is being closed.
            }
        }

        private synchronized Socket keep(Socket socket) throws IOException {
            if (entrance.isClosed()) {
                socket.close();
            }
            sockets.removeIf(Socket::isClosed);
            sockets.add(socket);
            return socket;
        }

        private void join(Socket near) {
            try {
                awaitWhole();
                Socket far = new Socket();
                far.connect(target);
                keep(far);
                near.setTcpNoDelay(true);
                far.setTcpNoDelay(true);
                Thread.ofVirtual().start(() -> carry(near, far));
                carry(far, near);
            } catch (IOException nobodyThere) {
                drop(near);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                drop(near);
            }
        }

        /** Forwards bytes until one end closes; closes the other end when the link is not cut. */
        private void carry(Socket from, Socket to) {
            byte[] chunk = new byte[CHUNK_BYTES];
            try {
                var in = from.getInputStream();
                var out = to.getOutputStream();
                int length = in.read(chunk);
                while (length >= 0) {
                    awaitWhole();
                    out.write(chunk, 0, length);
                    length = in.read(chunk);
                }
                awaitWhole();
            } catch (IOException broken) {
                // The other direction ends too.
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            } finally {
                drop(from);
                drop(to);
            }
        }

        private static void drop(Socket socket) {
            try {
                socket.close();
            } catch (IOException alreadyGone) {
                // Nothing is left to close.
            }
        }

        synchronized void close() {
            try {
                entrance.close();
            } catch (IOException alreadyGone) {
                // Nothing is left to close.
            }
            whole = true;
            notifyAll();
            sockets.forEach(Cable::drop);
        }
    }
}
