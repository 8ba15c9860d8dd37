package petrichor.server.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import petrichor.kv.KeyValueStore;

/**
 * Watches the stores of a server: probes remote stores, and writes the metrics of all measured
 * ones. Closing it stops the probes, but does not close the stores.
 */
public final class StoreWatch implements AutoCloseable {
    /** Scheme of the embedded store, which has no address. */
    public static final String EMBEDDED = "rocksdb";

    private final List<MeteredStore> stores;
    private final Map<MeteredStore, StoreProbe> probes = new LinkedHashMap<>();

    private StoreWatch(List<MeteredStore> stores) {
        this.stores = List.copyOf(stores);
        for (MeteredStore store : stores) {
            if (!store.scheme().equals(EMBEDDED)) {
                probes.put(store, new StoreProbe(store));
            }
        }
    }

    /** Watches the measured stores in the list. */
    public static StoreWatch of(List<KeyValueStore> stores) {
        List<MeteredStore> metered = new ArrayList<>();
        for (KeyValueStore store : stores) {
            if (store instanceof MeteredStore one) {
                metered.add(one);
            }
        }
        return new StoreWatch(metered);
    }

    /** The problem of the first store that does not answer. */
    public Optional<String> problem() {
        return probes.values().stream()
                .map(StoreProbe::problem)
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** Adds the metrics of all stores, one metric family per metric. */
    public void add(Readings readings) {
        if (stores.isEmpty()) {
            return;
        }
        readings.add(
                        new HistogramSnapshot(
                                new MetricMetadata(
                                        StoreMeter.SECONDS,
                                        "Duration of successful store operations."),
                                each(store -> store.meter().latencies())))
                .add(
                        new CounterSnapshot(
                                new MetricMetadata(StoreMeter.ERRORS, "Failed store operations."),
                                each(store -> store.meter().failures())))
                .counters(
                        "petrichor_store_retries_total",
                        "Requests that a store plugin retried.",
                        each(
                                store ->
                                        List.of(
                                                new Readings.Point(
                                                        Labels.of("store", store.name()),
                                                        store.retries()))))
                .gauges(
                        "petrichor_store_up",
                        "1 if the store answers, 0 if not.",
                        each(
                                store ->
                                        List.of(
                                                new Readings.Point(
                                                        labels(store), isUp(store) ? 1 : 0))));
    }

    private static Labels labels(MeteredStore store) {
        return Labels.of("store", store.name(), "scheme", store.scheme());
    }

    private <T> List<T> each(Function<MeteredStore, List<T>> points) {
        return stores.stream().map(points).flatMap(List::stream).toList();
    }

    private boolean isUp(MeteredStore store) {
        StoreProbe probe = probes.get(store);
        return store.problem().isEmpty() && (probe == null || probe.problem().isEmpty());
    }

    @Override
    public void close() {
        probes.values().forEach(StoreProbe::close);
    }
}
