package petrichor.transactions.rows;

import java.util.concurrent.atomic.AtomicInteger;
import petrichor.kv.StoreView;

/**
 * A read view: a version with open readers, and the frozen view of the store, if the store supports
 * views. Reference-counted: the last reader closes the view. Thread-safe.
 */
public final class ReadPoint {
    private final long version;
    private final RowSource source;
    private final boolean exact;
    private final Runnable closed;
    private final AtomicInteger readers = new AtomicInteger(1);

    /**
     * @param exact the view shows exactly this version in its current rows: history is not needed
     */
    public ReadPoint(long version, RowSource source, boolean exact, Runnable closed) {
        this.version = version;
        this.source = source;
        this.exact = exact;
        this.closed = closed;
    }

    public long version() {
        return version;
    }

    /** For readers that have entered. */
    public RowSource source() {
        return source;
    }

    boolean exact() {
        return exact;
    }

    /** False if the last reader has left. */
    public boolean enter() {
        int now = readers.get();
        while (now > 0) {
            if (readers.compareAndSet(now, now + 1)) {
                return true;
            }
            now = readers.get();
        }
        return false;
    }

    public void leave() {
        if (readers.decrementAndGet() == 0) {
            closed.run();
            StoreView view = source.view();
            if (view != null) {
                view.close();
            }
        }
    }
}
