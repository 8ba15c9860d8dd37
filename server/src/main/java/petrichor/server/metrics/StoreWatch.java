package petrichor.server.metrics;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import petrichor.kv.KeyValueStore;

/**
 * Watches the stores of a server: probes those that are reached over a network, and writes the
 * metrics of all that are measured. Closing ends the probes, not the stores.
 */
public final class StoreWatch implements AutoCloseable {
    /** The scheme of the store in the data folder, which no address names. */
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

    /** Those among them that are measured. */
    public static StoreWatch of(List<KeyValueStore> stores) {
        List<MeteredStore> metered = new ArrayList<>();
        for (KeyValueStore store : stores) {
            if (store instanceof MeteredStore one) {
                metered.add(one);
            }
        }
        return new StoreWatch(metered);
    }

    /** Of the first store that does not answer. */
    public Optional<String> problem() {
        return probes.values().stream()
                .map(StoreProbe::problem)
                .flatMap(Optional::stream)
                .findFirst();
    }

    public void write(StringBuilder text) {
        if (stores.isEmpty()) {
            return;
        }
        Exposition out = new Exposition(text);
        String seconds = "petrichor_store_operation_seconds";
        out.family("histogram", seconds, "Duration of successful store operations.");
        stores.forEach(store -> store.meter().writeLatencies(out, seconds, store.name()));
        String errors = "petrichor_store_errors_total";
        out.family("counter", errors, "Failed store operations.");
        stores.forEach(store -> store.meter().writeFailures(out, errors, store.name()));
        String retries = "petrichor_store_retries_total";
        out.family("counter", retries, "Requests that a store plugin retried.");
        stores.forEach(store -> out.line(retries, Map.of("store", store.name()), store.retries()));
        String up = "petrichor_store_up";
        out.family("gauge", up, "1 if the store answers, 0 if not.");
        stores.forEach(
                store -> {
                    Map<String, String> labels = new LinkedHashMap<>();
                    labels.put("store", store.name());
                    labels.put("scheme", store.scheme());
                    out.line(up, labels, isUp(store) ? 1 : 0);
                });
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
