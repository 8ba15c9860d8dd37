package petrichor.transactions.databases;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.kv.KeyValueStore;

/**
 * Stores to which databases can move, by name. Each is opened when it is first needed, and closed
 * with this. Thread-safe.
 */
public final class NamedStores implements AutoCloseable {
    private final Map<String, Supplier<KeyValueStore>> openers;
    private final Map<String, KeyValueStore> open = new LinkedHashMap<>();

    /**
     * @param openers by name, in the order in which they are listed
     */
    public NamedStores(Map<String, Supplier<KeyValueStore>> openers) {
        this.openers = new LinkedHashMap<>(openers);
    }

    public static NamedStores none() {
        return new NamedStores(Map.of());
    }

    Iterable<String> names() {
        return openers.keySet();
    }

    /** Null if no store has this name. Propagates what opening it fails with. */
    synchronized @Nullable KeyValueStore open(String name) {
        Supplier<KeyValueStore> opener = openers.get(name);
        return opener == null ? null : open.computeIfAbsent(name, _ -> opener.get());
    }

    @Override
    public synchronized void close() {
        open.values().forEach(KeyValueStore::close);
        open.clear();
    }
}
