package petrichor.bench.movement;

import java.util.Arrays;
import java.util.List;
import petrichor.bench.Sample;

/** The latencies of one kind of request, exactly. Belongs to one thread at a time. */
final class Latencies {
    private static final int MAX = 1_000_000;

    private long[] nanos = new long[1024];
    private int count;

    /** Further ones than a million are dropped. */
    void add(long taken) {
        if (count == MAX) {
            return;
        }
        if (count == nanos.length) {
            nanos = Arrays.copyOf(nanos, Math.min(MAX, count * 2));
        }
        nanos[count++] = taken;
    }

    static Latencies joined(List<Latencies> parts) {
        Latencies all = new Latencies();
        for (Latencies part : parts) {
            for (int i = 0; i < part.count; i++) {
                all.add(part.nanos[i]);
            }
        }
        return all;
    }

    int count() {
        return count;
    }

    double meanMicros() {
        return Arrays.stream(nanos, 0, count).average().orElse(Double.NaN) / 1e3;
    }

    double maxMillis() {
        return Arrays.stream(nanos, 0, count).max().orElse(0) / 1e6;
    }

    double micros(double fraction) {
        if (count == 0) {
            return Double.NaN;
        }
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return sorted[(int) Math.min(count - 1L, (long) (count * fraction))] / 1e3;
    }

    /** Its rate is the inverse of the mean latency: requests that one client makes in a second. */
    Sample ofOneClient(double cpuMicros) {
        return new Sample(1e6 / meanMicros(), micros(0.5), micros(0.99), cpuMicros);
    }
}
