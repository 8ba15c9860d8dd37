package petrichor.base;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Memory budget: how many bytes of heap one purpose may hold at the same time. Budgets form a tree:
 * a reservation counts in its own share and in every budget above it, so that the shares together
 * never exceed the root even if their limits add up to more. A process has one root, sized from its
 * heap; what clients can make grow (requests, transactions, queues, results, caches) reserves
 * before it allocates.
 *
 * <p>Nothing waits: a reservation succeeds at once or is refused. Safe for any thread.
 */
public final class MemoryBudget {
    private static final int PERCENT = 100;

    private final String name;
    private final @Nullable MemoryBudget parent;
    private final long bytesMax;
    private final AtomicLong used = new AtomicLong();
    private final LongAdder refusals = new LongAdder();
    private final List<MemoryBudget> shares = new CopyOnWriteArrayList<>();

    private MemoryBudget(String name, @Nullable MemoryBudget parent, long bytesMax) {
        if (bytesMax <= 0) {
            throw new IllegalArgumentException("bytesMax must be positive, not " + bytesMax);
        }
        this.name = name;
        this.parent = parent;
        this.bytesMax = bytesMax;
    }

    /** A root. */
    public static MemoryBudget of(String name, long bytesMax) {
        return new MemoryBudget(name, null, bytesMax);
    }

    /**
     * The root of this process.
     *
     * @param percent of the largest heap that the JVM may use
     */
    public static MemoryBudget ofHeap(int percent) {
        return of("process", Runtime.getRuntime().maxMemory() / PERCENT * percent);
    }

    /** For programs that bound their memory elsewhere, such as tests and embedded uses. */
    public static MemoryBudget unlimited() {
        return of("unlimited", Long.MAX_VALUE / 2);
    }

    /** A part of this budget; limits above this budget's own are lowered to it. */
    public MemoryBudget share(String shareName, long shareBytesMax) {
        MemoryBudget share =
                new MemoryBudget(shareName, this, Math.max(1, Math.min(shareBytesMax, bytesMax)));
        shares.add(share);
        return share;
    }

    /** A part of this budget, in per cent of its limit. */
    public MemoryBudget sharePercent(String shareName, int percent) {
        return share(shareName, bytesMax / PERCENT * percent);
    }

    public String name() {
        return name;
    }

    public long bytesMax() {
        return bytesMax;
    }

    public long bytesUsed() {
        return used.get();
    }

    /** Reservations refused by this budget itself, not by one above it. */
    public long refusals() {
        return refusals.sum();
    }

    public List<MemoryBudget> shares() {
        return List.copyOf(shares);
    }

    /** False, and nothing is reserved, if this budget or one above it has not so many left. */
    public boolean tryReserve(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bytes must not be negative: " + bytes);
        }
        if (used.addAndGet(bytes) > bytesMax) {
            used.addAndGet(-bytes);
            refusals.increment();
            return false;
        }
        if (parent != null && !parent.tryReserve(bytes)) {
            used.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    /** Gives back what {@link #tryReserve} granted. */
    public void release(long bytes) {
        if (used.addAndGet(-bytes) < 0) {
            throw new IllegalStateException(
                    "more bytes released than reserved in the memory budget " + name);
        }
        if (parent != null) {
            parent.release(bytes);
        }
    }

    public Reservation reservation() {
        return new Reservation();
    }

    /**
     * What one holder, such as a request, has of the budget. Safe for any thread; {@link #close}
     * may be called more than once, and nothing can be added afterwards.
     */
    public final class Reservation implements AutoCloseable {
        private long held;
        private boolean closed;

        /** False, and nothing is added, when the budget has no more or this is closed. */
        public synchronized boolean add(long bytes) {
            if (closed || !tryReserve(bytes)) {
                return false;
            }
            held += bytes;
            return true;
        }

        public synchronized long bytes() {
            return held;
        }

        /** Gives everything back; more can be added afterwards. */
        public synchronized void clear() {
            release(held);
            held = 0;
        }

        @Override
        public synchronized void close() {
            closed = true;
            clear();
        }
    }
}
