package petrichor.server.metrics;

import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep.Outcome;

/**
 * What one store was asked for: latency by operation, failures by operation and kind. Safe for any
 * thread; measuring takes no lock.
 */
final class StoreMeter {
    /** From a block cache's hit to the longest timeout that anybody configures. */
    private static final double[] BOUNDS_S = {
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
        10
    };

    /** A durable step that nobody knows the outcome of is a failure, though not an exception. */
    private static final String UNKNOWN_OUTCOME = "UNKNOWN_OUTCOME";

    /** What is no failure of ours is a defect of the plug-in. */
    private static final String UNEXPECTED = "UNEXPECTED";

    private record Failure(StoreOperation operation, String kind) {}

    private final Map<StoreOperation, DurationHistogram> latencies =
            new EnumMap<>(StoreOperation.class);
    private final Map<Failure, LongAdder> failures = new ConcurrentHashMap<>();
    private volatile long answeredAtNanos = System.nanoTime();

    StoreMeter() {
        for (StoreOperation operation : StoreOperation.values()) {
            latencies.put(operation, new DurationHistogram(BOUNDS_S));
        }
    }

    <T extends @Nullable Object> T measure(StoreOperation operation, Supplier<T> work) {
        long begun = System.nanoTime();
        try {
            T answer = work.get();
            answered(operation, begun);
            if (answer == Outcome.UNKNOWN) {
                failed(operation, UNKNOWN_OUTCOME);
            }
            return answer;
        } catch (RuntimeException failure) {
            failed(operation, failure);
            throw failure;
        }
    }

    void answered(StoreOperation operation, long begunNanos) {
        long now = System.nanoTime();
        DurationHistogram latency = latencies.get(operation);
        if (latency != null) {
            latency.add(now - begunNanos);
        }
        answeredAtNanos = now;
    }

    void failed(StoreOperation operation, RuntimeException failure) {
        failed(
                operation,
                failure instanceof PetrichorException ours ? ours.code().name() : UNEXPECTED);
    }

    private void failed(StoreOperation operation, String kind) {
        failures.computeIfAbsent(new Failure(operation, kind), _ -> new LongAdder()).increment();
    }

    /** Since the last operation of any kind that succeeded; since the store was opened before. */
    Duration silence() {
        return Duration.ofNanos(System.nanoTime() - answeredAtNanos);
    }

    void writeLatencies(Exposition out, String name, String store) {
        latencies.forEach(
                (operation, latency) -> {
                    if (!latency.isEmpty()) {
                        latency.write(out, name, labels(store, operation));
                    }
                });
    }

    void writeFailures(Exposition out, String name, String store) {
        failures.forEach(
                (failure, count) -> {
                    Map<String, String> labels = labels(store, failure.operation());
                    labels.put("kind", failure.kind());
                    out.line(name, labels, count.sum());
                });
    }

    private static Map<String, String> labels(String store, StoreOperation operation) {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("store", store);
        labels.put("operation", operation.label());
        return labels;
    }
}
