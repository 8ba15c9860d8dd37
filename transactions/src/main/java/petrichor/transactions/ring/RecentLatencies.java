package petrichor.transactions.ring;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/** How long recent operations took. Bounded; thread-safe, and approximate under concurrency. */
final class RecentLatencies {
    private static final int OPERATIONS_MAX = 512;

    /** Fewer say nothing about the slowest. */
    private static final int OPERATIONS_MIN = 20;

    private static final long WINDOW_NANOS = 1_000_000_000;
    private static final double SLOWEST = 0.99;

    private final AtomicLongArray took = new AtomicLongArray(OPERATIONS_MAX);
    private final AtomicLongArray began = new AtomicLongArray(OPERATIONS_MAX);
    private final AtomicInteger next = new AtomicInteger();

    /**
     * @param at when it began, on the clock that {@link #p99} gets
     */
    void add(long nanos, long at) {
        int place = Math.floorMod(next.getAndIncrement(), OPERATIONS_MAX);
        took.set(place, Math.max(1, nanos));
        began.set(place, at);
    }

    /** Of the last second; 0 if there were few. */
    long p99(long now) {
        long[] recent = new long[OPERATIONS_MAX];
        int count = 0;
        for (int i = 0; i < OPERATIONS_MAX; i++) {
            long nanos = took.get(i);
            if (nanos > 0 && now - began.get(i) <= WINDOW_NANOS) {
                recent[count++] = nanos;
            }
        }
        if (count < OPERATIONS_MIN) {
            return 0;
        }
        Arrays.sort(recent, 0, count);
        return recent[(int) Math.min(count - 1, Math.floor(count * SLOWEST))];
    }
}
