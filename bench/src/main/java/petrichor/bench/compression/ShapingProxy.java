package petrichor.bench.compression;

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

/**
 * Forwards connections and limits the data from the caller by a {@link TokenBucket}. The other
 * direction is unlimited. Its buffers are small, so that the caller is slowed down by the rate,
 * instead of filling a queue.
 */
final class ShapingProxy implements AutoCloseable {
    private static final int PIECE_BYTES = 16 << 10;
    private static final int SOCKET_BYTES = 64 << 10;
    private static final int BACKLOG = 16;

    private final ServerSocket listening;
    private final InetSocketAddress target;
    private final TokenBucket bucket;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    private ShapingProxy(ServerSocket listening, InetSocketAddress target, TokenBucket bucket) {
        this.listening = listening;
        this.target = target;
        this.bucket = bucket;
    }

    static ShapingProxy open(InetSocketAddress target, long bytesPerSecond) throws IOException {
        ServerSocket listening = new ServerSocket();
        listening.setReceiveBufferSize(SOCKET_BYTES);
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        ShapingProxy proxy =
                new ShapingProxy(
                        listening,
                        target,
                        new TokenBucket(bytesPerSecond, PIECE_BYTES, System::nanoTime));
        Thread.ofPlatform().daemon().name("shaping-proxy").start(proxy::accept);
        return proxy;
    }

    int port() {
        return listening.getLocalPort();
    }

    void rate(long bytesPerSecond) {
        bucket.rate(bytesPerSecond);
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket caller = listening.accept();
                open.add(caller);
                Socket called = new Socket();
                open.add(called);
                called.setSendBufferSize(SOCKET_BYTES);
                called.connect(target);
                called.setTcpNoDelay(true);
                Thread.ofPlatform().daemon().start(() -> pass(caller, called, true));
                Thread.ofPlatform().daemon().start(() -> pass(called, caller, false));
            } catch (IOException e) {
                Thread.onSpinWait(); // Closed, or the target is gone: the caller will notice.
            }
        }
    }

    private void pass(Socket from, Socket to, boolean shaped) {
        byte[] piece = new byte[PIECE_BYTES];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                if (shaped) {
                    bucket.take(count);
                }
                out.write(piece, 0, count);
            }
            to.shutdownOutput();
        } catch (IOException e) {
            close(from);
            close(to);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        open.forEach(ShapingProxy::close);
    }
}
