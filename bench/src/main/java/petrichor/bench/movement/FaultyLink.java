package petrichor.bench.movement;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Forwards connections to a server on this machine, and can lose them. Thread-safe. */
final class FaultyLink implements AutoCloseable {
    private static final int PIECE_BYTES = 16 << 10;
    private static final int BACKLOG = 64;

    /** What happens to requests. */
    enum State {
        WORKS,
        /** Connections end, and new ones too. */
        CUT,
        /** Requests reach the server; the connection ends instead of the answer. */
        LOSES_ANSWERS
    }

    private final ServerSocket listening;
    private final InetSocketAddress target;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile State state = State.WORKS;

    private FaultyLink(ServerSocket listening, InetSocketAddress target) {
        this.listening = listening;
        this.target = target;
    }

    static FaultyLink open(int targetPort) throws IOException {
        InetAddress here = InetAddress.getLoopbackAddress();
        FaultyLink link =
                new FaultyLink(
                        new ServerSocket(0, BACKLOG, here),
                        new InetSocketAddress(here, targetPort));
        Thread.ofVirtual().name("faulty-link").start(link::accept);
        return link;
    }

    int port() {
        return listening.getLocalPort();
    }

    void set(State next) {
        state = next;
        if (next == State.CUT) {
            open.forEach(FaultyLink::close);
        }
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket caller = listening.accept();
                Thread.ofVirtual().start(() -> connect(caller));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void connect(Socket caller) {
        open.add(caller);
        Socket called = new Socket();
        open.add(called);
        try {
            if (state == State.CUT) {
                throw new IOException("the link is cut");
            }
            called.connect(target);
            called.setTcpNoDelay(true);
            Thread.ofVirtual().start(() -> pass(caller, called, false));
            pass(called, caller, true);
        } catch (IOException unreachable) {
            end(caller, called);
        }
    }

    private void pass(Socket from, Socket to, boolean answers) {
        byte[] piece = new byte[PIECE_BYTES];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                if (answers && state == State.LOSES_ANSWERS) {
                    break;
                }
                out.write(piece, 0, count);
            }
        } catch (IOException broken) {
            // The other end notices when its connection is closed.
        } finally {
            end(from, to);
        }
    }

    private void end(Socket one, Socket other) {
        close(one);
        close(other);
        open.remove(one);
        open.remove(other);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        open.forEach(FaultyLink::close);
    }
}
