package petrichor.transactions.rows;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Bounds the rows that a process reads from its stores at the same time: how large they are is
 * known only when they are in memory, so each counts as one of the largest size. Readers wait in
 * the order in which they came. Safe for any thread.
 */
final class ReadPermits {
    /** A reader asks for no more at once before it knows how large its rows are. */
    static final int ROWS_AT_ONCE = 25;

    /** An entity of the largest size, with its key. */
    static final long ROW_BYTES_MAX = 1 << 20;

    /** Of the heap; it comes out of what the memory budget of the process leaves. */
    private static final int HEAP_PERCENT = 10;

    private static final Duration WAIT_MAX = Duration.ofSeconds(10);
    private static final int PERCENT = 100;

    static final ReadPermits OF_PROCESS = ofHeap();

    private final Semaphore rows;
    private final Duration waitMax;

    /**
     * @param rows of the largest size that fits in memory
     * @param waitMax of one reader
     */
    ReadPermits(int rows, Duration waitMax) {
        this.rows = new Semaphore(Math.max(rows, ROWS_AT_ONCE), true);
        this.waitMax = waitMax;
    }

    private static ReadPermits ofHeap() {
        long bytes = Runtime.getRuntime().maxMemory() / PERCENT * HEAP_PERCENT;
        return new ReadPermits((int) Math.min(bytes / ROW_BYTES_MAX, Integer.MAX_VALUE), WAIT_MAX);
    }

    /** UNAVAILABLE if others read so much that these rows had to wait for too long. */
    void acquire(int count) {
        if (rows.tryAcquire(count)) {
            return;
        }
        try {
            if (rows.tryAcquire(count, waitMax.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        throw PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "The server has no memory left for more reads; retry with backoff.");
    }

    void release(int count) {
        rows.release(count);
    }
}
