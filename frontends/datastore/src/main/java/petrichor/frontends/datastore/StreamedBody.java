package petrichor.frontends.datastore;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.RequestBody;

/**
 * A request's body on its way from the connection's event loop, which adds the bytes that arrive,
 * to the thread of the page, which takes them. The connection is read only while fewer than {@link
 * #READ_AHEAD_BYTES} wait here, and not before the page asks for the first bytes. Thread-safe.
 */
final class StreamedBody implements RequestBody, AutoCloseable {
    /** Bytes that arrive while the page works on earlier ones. */
    static final int READ_AHEAD_BYTES = 128 << 10;

    /** Memory per request: the bytes that wait, those of one more read, and those of the page. */
    static final int WINDOW_BYTES = 3 * READ_AHEAD_BYTES;

    private final Connection connection;
    private final RequestBudget.Share share;
    private final long stallNanos;
    private final Queue<ByteBuf> arrived = new ArrayDeque<>();
    private int arrivedBytes;
    private boolean asked;
    private boolean complete;
    private boolean closed;
    private @Nullable PetrichorException failure;

    /** The connection from which the body arrives. */
    interface Connection {
        /** The page needs the body: asks the client for it if it waits for that. */
        void begin();

        /** More bytes can be accepted. */
        void read();
    }

    /**
     * @param share with {@link #WINDOW_BYTES} charged; closed with this
     * @param stallNanos longest wait for the next bytes
     */
    StreamedBody(Connection connection, RequestBudget.Share share, long stallNanos) {
        this.connection = connection;
        this.share = share;
        this.stallNanos = stallNanos;
    }

    /** Takes ownership of the bytes. */
    synchronized void add(ByteBuf bytes) {
        if (closed || !bytes.isReadable()) {
            bytes.release();
        } else {
            arrived.add(bytes);
            arrivedBytes += bytes.readableBytes();
        }
    }

    /** What was added can be taken. */
    synchronized void flush() {
        notifyAll();
    }

    /** The last bytes were added. */
    synchronized void end() {
        complete = true;
        notifyAll();
    }

    /** No more bytes will arrive. */
    synchronized void fail(PetrichorException reason) {
        if (!complete && failure == null) {
            failure = reason;
        }
        notifyAll();
    }

    /** Whether the connection should be read. */
    synchronized boolean acceptsMore() {
        return asked && !complete && !closed && failure == null && arrivedBytes < READ_AHEAD_BYTES;
    }

    /**
     * Whether all bytes were taken; otherwise the next request on the connection is not reached.
     */
    synchronized boolean isConsumed() {
        return complete && arrived.isEmpty();
    }

    synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public byte @Nullable [] next() {
        if (isFirst()) {
            connection.begin();
            connection.read();
        }
        byte[] taken = take();
        if (taken != null) {
            connection.read();
        }
        return taken;
    }

    private synchronized boolean isFirst() {
        boolean first = !asked && !complete;
        asked = true;
        return first;
    }

    private synchronized byte @Nullable [] take() {
        long end = System.nanoTime() + stallNanos;
        while (arrived.isEmpty() && !complete && failure == null && !closed) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                throw PetrichorException.of(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "no byte of the request's body arrived within {seconds} s"
                                + " (limits.request-timeout); send it faster, or in parts",
                        "seconds",
                        TimeUnit.NANOSECONDS.toSeconds(stallNanos));
            }
            await(left);
        }
        if (!arrived.isEmpty()) {
            return drained();
        }
        if (failure != null) {
            throw failure;
        }
        if (closed) {
            throw new IllegalStateException("the request was answered already");
        }
        return null;
    }

    private void await(long nanos) {
        try {
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, nanos));
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE, stopping, "the server is stopping; retry later");
        }
    }

    private byte[] drained() {
        byte[] bytes = new byte[arrivedBytes];
        int at = 0;
        for (ByteBuf piece = arrived.poll(); piece != null; piece = arrived.poll()) {
            int length = piece.readableBytes();
            piece.readBytes(bytes, at, length);
            piece.release();
            at += length;
        }
        arrivedBytes = 0;
        return bytes;
    }

    /** Discards what was not taken. */
    @Override
    public synchronized void close() {
        closed = true;
        for (ByteBuf piece = arrived.poll(); piece != null; piece = arrived.poll()) {
            piece.release();
        }
        arrivedBytes = 0;
        share.close();
        notifyAll();
    }
}
