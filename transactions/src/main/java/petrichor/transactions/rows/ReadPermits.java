package petrichor.transactions.rows;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Semaphore that bounds the rows a process reads from its stores at the same time: their size is
 * known only once they are in memory, so each is assumed to have the maximum size. Readers wait in
 * FIFO order. Thread-safe.
 */
final class ReadPermits {
    /** A reader requests at most this many rows at once before it knows their size. */
    static final int ROWS_AT_ONCE = 25;

    /** An entity of the maximum size, with its key. */
    static final long ROW_BYTES_MAX = 1 << 20;

    /** Share of the heap; taken from the part that the memory budget of the process leaves free. */
    private static final int HEAP_PERCENT = 10;

    private static final Duration WAIT_MAX = Duration.ofSeconds(10);
    private static final int PERCENT = 100;

    static final ReadPermits OF_PROCESS = ofHeap();

    private final Semaphore rows;
    private final Duration waitMax;

    /**
     * @param rows number of rows of maximum size that fit in memory
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

    /** UNAVAILABLE if other reads kept this one waiting for too long. */
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
