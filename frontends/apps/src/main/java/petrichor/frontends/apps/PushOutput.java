package petrichor.frontends.apps;

import java.io.OutputStream;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import petrichor.frontends.http.Page;

/**
 * What a push writes, for the response that streams it. The writer waits while the client reads
 * slowly; when the client has disconnected, the rest is dropped. Thread-safe.
 */
final class PushOutput extends OutputStream {
    private static final int PIECES_MAX = 64;
    private static final int POLL_MS = 100;
    private static final byte[] END = new byte[0];

    private final BlockingQueue<byte[]> pieces = new ArrayBlockingQueue<>(PIECES_MAX);
    private volatile boolean disconnected;

    @Override
    public void write(int one) {
        put(new byte[] {(byte) one});
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
        if (length > 0) {
            byte[] piece = new byte[length];
            System.arraycopy(bytes, from, piece, 0, length);
            put(piece);
        }
    }

    @Override
    public void close() {
        put(END);
    }

    private void put(byte[] piece) {
        try {
            boolean taken = false;
            while (!taken && !disconnected) {
                taken = pieces.offer(piece, POLL_MS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            disconnected = true;
        }
    }

    Page.Rest rest() {
        return new Page.Rest() {
            @Override
            public byte @Nullable [] get() {
                try {
                    byte[] next = pieces.take();
                    return next.length == 0 ? null : next;
                } catch (InterruptedException stopping) {
                    Thread.currentThread().interrupt();
                    return null;
                }
            }

            @Override
            public void close() {
                disconnected = true;
            }
        };
    }
}
