package petrichor.apps.scaling;

import java.time.Duration;

/** Counts waits by milliseconds up to a minute, then by seconds. Not thread-safe. */
final class WaitHistogram {
    private static final int MILLIS = 60_000;
    private static final int SECONDS = 86_400;
    private static final int MILLIS_PER_SECOND = 1_000;

    private final long[] byMilli = new long[MILLIS];
    private final long[] bySecond = new long[SECONDS];
    private long count;
    private Duration max = Duration.ZERO;

    void add(Duration wait) {
        count++;
        max = wait.compareTo(max) > 0 ? wait : max;
        long millis = wait.toMillis();
        if (millis < MILLIS) {
            byMilli[(int) millis]++;
        } else {
            bySecond[(int) Math.min(millis / MILLIS_PER_SECOND, SECONDS - 1)]++;
        }
    }

    SimulationReport.Latencies latencies() {
        return new SimulationReport.Latencies(percentile(0.5), percentile(0.99), max);
    }

    private Duration percentile(double share) {
        long rank = Math.max(1, (long) Math.ceil(count * share));
        long seen = 0;
        for (int i = 0; i < MILLIS; i++) {
            seen += byMilli[i];
            if (seen >= rank) {
                return Duration.ofMillis(i);
            }
        }
        for (int i = 0; i < SECONDS; i++) {
            seen += bySecond[i];
            if (seen >= rank) {
                return Duration.ofSeconds(i);
            }
        }
        return Duration.ZERO;
    }
}
