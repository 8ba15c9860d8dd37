package petrichor.base;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Memory budget: limits the bytes of heap in use for one purpose. Budgets form a tree: a
 * reservation counts in its own share and in every budget above it, so that the shares together
 * never exceed the root even if their limits add up to more. A process has one root, sized from its
 * heap; memory whose size clients control (requests, transactions, queues, results, caches) is
 * reserved before it is allocated.
 *
 * <p>Nothing waits: a reservation succeeds immediately or is refused. Thread-safe.
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

    /** Creates a root. */
    public static MemoryBudget of(String name, long bytesMax) {
        return new MemoryBudget(name, null, bytesMax);
    }

    /**
     * Creates the root of this process.
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

    /** A part of this budget; its limit is capped at this budget's own. */
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

    /** False, and nothing is reserved, if this budget or one above it has too little left. */
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

    /**
     * Counts bytes here that the budget above has already granted, which {@link #release} then
     * returns to both. False, and nothing changes, if this budget has too little left.
     */
    public boolean tryTakeFromAbove(long bytes) {
        if (used.addAndGet(bytes) > bytesMax) {
            used.addAndGet(-bytes);
            refusals.increment();
            return false;
        }
        return true;
    }

    /** Returns bytes that {@link #tryReserve} granted. */
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
     * The reserved bytes of one holder, such as a request. Thread-safe; {@link #close} is
     * idempotent, and nothing can be added afterwards.
     */
    public final class Reservation implements AutoCloseable {
        private long held;
        private boolean closed;

        /** False, and nothing is added, if the budget is exhausted or this is closed. */
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

        /** Returns all bytes; more can be added afterwards. */
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
