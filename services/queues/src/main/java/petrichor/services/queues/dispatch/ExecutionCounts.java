package petrichor.services.queues.dispatch;

import petrichor.base.TimeSource;

/** How many attempts ended during the last minute and hour. Thread-safe. */
final class ExecutionCounts {
    private static final int SLOTS = 60;
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long SECONDS_PER_MINUTE = 60;

    private final TimeSource time;
    private final Ring seconds = new Ring();
    private final Ring minutes = new Ring();

    ExecutionCounts(TimeSource time) {
        this.time = time;
    }

    private long second() {
        return time.epochMicros() / MICROS_PER_SECOND;
    }

    synchronized void add() {
        seconds.add(second());
        minutes.add(second() / SECONDS_PER_MINUTE);
    }

    synchronized long lastMinute() {
        return seconds.sum(second());
    }

    synchronized long lastHour() {
        return minutes.sum(second() / SECONDS_PER_MINUTE);
    }

    private static final class Ring {
        private final long[] counts = new long[SLOTS];
        private final long[] units = new long[SLOTS];

        void add(long unit) {
            int slot = Math.floorMod(unit, SLOTS);
            if (units[slot] != unit) {
                units[slot] = unit;
                counts[slot] = 0;
            }
            counts[slot]++;
        }

        long sum(long unit) {
            long sum = 0;
            for (int slot = 0; slot < SLOTS; slot++) {
                if (units[slot] > unit - SLOTS && units[slot] <= unit) {
                    sum += counts[slot];
                }
            }
            return sum;
        }
    }
}
