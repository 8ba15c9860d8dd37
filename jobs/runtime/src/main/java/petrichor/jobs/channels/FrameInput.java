package petrichor.jobs.channels;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import petrichor.base.TimeSource;

/**
 * Reads messages from a socket and measures the wire's throughput. The bytes of one message arrive
 * in a train at the speed of the wire, even if the wire is mostly idle: the bytes that arrive while
 * the rest of a message is awaited, and the time they take, give that speed. For one thread; any
 * thread may read the totals.
 */
final class FrameInput {
    private static final int BUFFER_BYTES = 64 << 10;

    private final InputStream in;
    private final TimeSource time;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int from;
    private int to;
    private long lastReadNanos;

    private volatile long trainBytes;
    private volatile long burstNanos;

    FrameInput(InputStream in, TimeSource time) {
        this.in = in;
        this.time = time;
    }

    /** Bytes that arrived in trains, and the time they took. */
    long trainBytes() {
        return trainBytes;
    }

    long burstNanos() {
        return burstNanos;
    }

    /**
     * Reads the header of a message. The time until it arrives is not measured: the wire may be
     * idle.
     */
    void readHeader(byte[] header) throws IOException {
        read(header, 0, header.length, to == from);
    }

    /** Reads more of the message whose header was read. */
    void readRest(byte[] into, int at, int length) throws IOException {
        read(into, at, length, false);
    }

    private void read(byte[] into, int at, int length, boolean beforeMessage) throws IOException {
        int done = 0;
        boolean begins = beforeMessage;
        while (done < length) {
            if (from < to) {
                int some = Math.min(length - done, to - from);
                System.arraycopy(buffer, from, into, at + done, some);
                from += some;
                done += some;
            } else if (length - done >= BUFFER_BYTES) {
                done += readOnce(into, at + done, length - done, begins);
                begins = false;
            } else {
                from = 0;
                to = readOnce(buffer, 0, BUFFER_BYTES, begins);
                begins = false;
            }
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // Only the reading thread writes.
    private int readOnce(byte[] into, int at, int length, boolean begins) throws IOException {
        int count = in.read(into, at, length);
        if (count < 0) {
            throw new EOFException("the other process closed the connection");
        }
        long now = time.monotonicNanos();
        if (!begins) {
            trainBytes = trainBytes + count;
            burstNanos = burstNanos + (now - lastReadNanos);
        }
        lastReadNanos = now;
        return count;
    }
}
