package petrichor.server.metrics;

import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep.Outcome;

/**
 * Latency by operation, and failures by operation and kind, of one store. Thread-safe and
 * lock-free.
 */
final class StoreMeter {
    static final String SECONDS = "petrichor_store_operation_seconds";
    static final String ERRORS = "petrichor_store_errors_total";

    /** From a hit in the block cache to the longest usual timeout. */
    private static final double[] BOUNDS_S = {
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
        10
    };

    /**
     * A durable step with an unknown outcome counts as a failure, although it is not an exception.
     */
    private static final String UNKNOWN_OUTCOME = "UNKNOWN_OUTCOME";

    /** Exceptions other than Petrichor's own, which are bugs of the plugin. */
    private static final String UNEXPECTED = "UNEXPECTED";

    private static final double NANOS_PER_SECOND = 1e9;

    private final String store;
    private final Histogram seconds =
            Histogram.builder()
                    .name(SECONDS)
                    .labelNames("store", "operation")
                    .classicOnly()
                    .classicUpperBounds(BOUNDS_S)
                    .withoutExemplars()
                    .build();
    private final Counter errors =
            Counter.builder()
                    .name(ERRORS)
                    .labelNames("store", "operation", "kind")
                    .withoutExemplars()
                    .build();
    private final Map<StoreOperation, DistributionDataPoint> latencies = new ConcurrentHashMap<>();
    private volatile long answeredAtNanos = System.nanoTime();

    /** Creates the series of unavailability, so that the first failure counts as an increase. */
    StoreMeter(String store) {
        this.store = store;
        for (StoreOperation operation : StoreOperation.values()) {
            errors.initLabelValues(store, operation.label(), ErrorCode.UNAVAILABLE.name());
        }
    }

    <T extends @Nullable Object> T measure(StoreOperation operation, Supplier<T> work) {
        long started = System.nanoTime();
        try {
            T answer = work.get();
            answered(operation, started);
            if (answer == Outcome.UNKNOWN) {
                failed(operation, UNKNOWN_OUTCOME);
            }
            return answer;
        } catch (RuntimeException failure) {
            failed(operation, failure);
            throw failure;
        }
    }

    void answered(StoreOperation operation, long startNanos) {
        long now = System.nanoTime();
        DistributionDataPoint latency = latencies.get(operation);
        (latency == null ? firstLatency(operation) : latency)
                .observe((now - startNanos) / NANOS_PER_SECOND);
        answeredAtNanos = now;
    }

    void failed(StoreOperation operation, RuntimeException failure) {
        failed(
                operation,
                failure instanceof PetrichorException ours ? ours.code().name() : UNEXPECTED);
    }

    private void failed(StoreOperation operation, String kind) {
        errors.labelValues(store, operation.label(), kind).inc();
    }

    /** Created on first use: a store has only the operations of its kind of commit point. */
    private DistributionDataPoint firstLatency(StoreOperation operation) {
        return latencies.computeIfAbsent(operation, one -> seconds.labelValues(store, one.label()));
    }

    /** Time since the last successful operation of any kind, or since the store was opened. */
    Duration silence() {
        return Duration.ofNanos(System.nanoTime() - answeredAtNanos);
    }

    List<HistogramDataPointSnapshot> latencies() {
        return seconds.collect().getDataPoints();
    }

    List<CounterDataPointSnapshot> failures() {
        return errors.collect().getDataPoints();
    }
}
