package petrichor.base;

import java.util.concurrent.atomic.AtomicLongArray;

/** Counts events of the last 60 seconds, in steps of a second. Lock-free; thread-safe. */
public final class MinuteCount {
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final int SECONDS = 60;
    private static final int COUNT_BITS = 32;
    private static final long COUNT_MASK = (1L << COUNT_BITS) - 1;

    /** In each place, a second and the events in it. */
    private final AtomicLongArray places = new AtomicLongArray(SECONDS);

    public void add(long nowNanos) {
        add(nowNanos, 1);
    }

    public void add(long nowNanos, int events) {
        long second = second(nowNanos);
        places.accumulateAndGet(
                (int) (second % SECONDS),
                second << COUNT_BITS,
                (before, start) ->
                        (before >>> COUNT_BITS) == (start >>> COUNT_BITS)
                                ? before + events
                                : start + events);
    }

    /** Events of the last 60 seconds, of which the current one is not complete. */
    public long lastMinute(long nowNanos) {
        long now = second(nowNanos);
        long sum = 0;
        for (int i = 0; i < SECONDS; i++) {
            long place = places.get(i);
            if (now - (place >>> COUNT_BITS) < SECONDS) {
                sum += place & COUNT_MASK;
            }
        }
        return sum;
    }

    /** Not negative, so that it fits beside a count. */
    private static long second(long nanos) {
        return Math.floorMod(Math.floorDiv(nanos, SECOND_NANOS), 1L << (COUNT_BITS - 1));
    }
}
