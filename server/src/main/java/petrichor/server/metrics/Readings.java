package petrichor.server.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;

/**
 * Metrics whose values are read from their owners at each scrape, all at once: for components with
 * their own counters, and for objects that are created and closed while the server runs. Confined
 * to one thread.
 */
public final class Readings {
    private final MetricSnapshots.Builder snapshots = MetricSnapshots.builder();

    /** One value of a metric. */
    public record Point(Labels labels, double value) {
        public Point(Labels labels, long value) {
            this(labels, (double) value);
        }
    }

    public Readings gauge(String name, String help, long value) {
        return gauges(name, help, List.of(new Point(Labels.EMPTY, value)));
    }

    public Readings counter(String name, String help, long value) {
        return counter(name, help, (double) value);
    }

    public Readings counter(String name, String help, double value) {
        return counters(name, help, List.of(new Point(Labels.EMPTY, value)));
    }

    public Readings gauges(String name, String help, List<Point> points) {
        GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(help);
        points.forEach(
                point ->
                        gauge.dataPoint(
                                GaugeDataPointSnapshot.builder()
                                        .labels(point.labels())
                                        .value(point.value())
                                        .build()));
        return add(gauge.build());
    }

    public Readings counters(String name, String help, List<Point> points) {
        CounterSnapshot.Builder counter = CounterSnapshot.builder().name(name).help(help);
        points.forEach(
                point ->
                        counter.dataPoint(
                                CounterDataPointSnapshot.builder()
                                        .labels(point.labels())
                                        .value(point.value())
                                        .build()));
        return add(counter.build());
    }

    Readings add(MetricSnapshot snapshot) {
        snapshots.metricSnapshot(snapshot);
        return this;
    }

    public MetricSnapshots snapshots() {
        return snapshots.build();
    }
}
