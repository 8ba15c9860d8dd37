package petrichor.server.metrics;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.ForwardingStore;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;

/**
 * Measures the operations of a store. Views are not measured: only embedded stores have them, and
 * their reads are often served from memory.
 */
public final class MeteredStore extends ForwardingStore {
    private final String name;
    private final String scheme;
    private final StoreMeter meter;

    /**
     * @param name of the store in the configuration
     * @param scheme of its address, such as {@code redis}
     */
    public MeteredStore(String name, String scheme, KeyValueStore below) {
        super(below);
        this.name = name;
        this.scheme = scheme;
        this.meter = new StoreMeter(name);
    }

    /** The wrapped store, or the store itself if it is not measured. */
    public static KeyValueStore unwrapped(KeyValueStore store) {
        return store instanceof MeteredStore metered ? metered.below() : store;
    }

    String name() {
        return name;
    }

    String scheme() {
        return scheme;
    }

    StoreMeter meter() {
        return meter;
    }

    /** The wrapped store, for callers that measure it themselves. */
    KeyValueStore unmetered() {
        return below();
    }

    @Override
    public Set<String> tables() {
        return meter.measure(StoreOperation.TABLES, below()::tables);
    }

    @Override
    public void createTable(String table) {
        run(StoreOperation.TABLES, () -> below().createTable(table));
    }

    @Override
    public void dropTable(String table) {
        run(StoreOperation.TABLES, () -> below().dropTable(table));
    }

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        return meter.<byte @Nullable []>measure(StoreOperation.GET, () -> below().get(table, key));
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        return meter.measure(StoreOperation.GET, () -> below().get(table, keys));
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        return new MeteredScan(meter, () -> below().scan(table, range, direction, limit));
    }

    @Override
    public void write(WriteBatch batch) {
        run(StoreOperation.WRITE, () -> below().write(batch));
    }

    @Override
    public DurableStep durableStep() {
        return MeteredSteps.of(below().durableStep(), meter);
    }

    private void run(StoreOperation operation, Runnable work) {
        boolean _ =
                meter.measure(
                        operation,
                        () -> {
                            work.run();
                            return true;
                        });
    }
}
