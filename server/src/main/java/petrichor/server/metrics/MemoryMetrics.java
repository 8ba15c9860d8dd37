package petrichor.server.metrics;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import petrichor.base.MemoryBudget;

/** Metrics of the memory budget: one value for the total and one per share. */
public final class MemoryMetrics {
    private MemoryMetrics() {}

    public static MetricSnapshots of(MemoryBudget memory) {
        return new Readings()
                .gauges(
                        "petrichor_memory_bytes",
                        "Memory reserved by requests, transactions, queues, responses and caches.",
                        each(memory, MemoryBudget::bytesUsed))
                .gauges(
                        "petrichor_memory_bytes_max",
                        "Limit of each share of the memory budget.",
                        each(memory, MemoryBudget::bytesMax))
                .counters(
                        "petrichor_memory_refusals_total",
                        "Reservations refused because memory was exhausted.",
                        each(memory, MemoryBudget::refusals))
                .snapshots();
    }

    private static List<Readings.Point> each(
            MemoryBudget memory, ToLongFunction<MemoryBudget> value) {
        List<Readings.Point> points = new ArrayList<>();
        add(points, memory, value);
        return points;
    }

    private static void add(
            List<Readings.Point> points, MemoryBudget budget, ToLongFunction<MemoryBudget> value) {
        Labels labels = Labels.of("share", budget.name());
        points.add(new Readings.Point(labels, value.applyAsLong(budget)));
        budget.shares().forEach(share -> add(points, share, value));
    }
}
