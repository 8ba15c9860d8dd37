package petrichor.server.metrics;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Durations in cumulative buckets, as Prometheus wants histograms. Safe for any thread; counting
 * takes no lock.
 */
final class DurationHistogram {
    private static final double NANOS_PER_SECOND = 1e9;

    private final double[] boundsSeconds;
    private final LongAdder[] buckets;
    private final LongAdder nanos = new LongAdder();

    /**
     * @param boundsSeconds upper bounds of the buckets, ascending; a last bucket has none
     */
    DurationHistogram(double... boundsSeconds) {
        this.boundsSeconds = boundsSeconds.clone();
        this.buckets = new LongAdder[boundsSeconds.length + 1];
        for (int i = 0; i < buckets.length; i++) {
            buckets[i] = new LongAdder();
        }
    }

    void add(long tookNanos) {
        int bucket = 0;
        while (bucket < boundsSeconds.length
                && tookNanos > boundsSeconds[bucket] * NANOS_PER_SECOND) {
            bucket++;
        }
        buckets[bucket].increment();
        nanos.add(tookNanos);
    }

    boolean isEmpty() {
        for (LongAdder bucket : buckets) {
            if (bucket.sum() > 0) {
                return false;
            }
        }
        return true;
    }

    void write(Exposition out, String name, Map<String, String> labels) {
        long count = 0;
        for (int i = 0; i < buckets.length; i++) {
            count += buckets[i].sum();
            Map<String, String> bound = new LinkedHashMap<>(labels);
            bound.put("le", i < boundsSeconds.length ? String.valueOf(boundsSeconds[i]) : "+Inf");
            out.line(name + "_bucket", bound, count);
        }
        out.line(name + "_sum", labels, nanos.sum() / NANOS_PER_SECOND);
        out.line(name + "_count", labels, count);
    }
}
