package petrichor.kv;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decorator that forwards every call to another store. Subclasses observe a store, share it, or
 * inject faults. Owns the store below.
 */
public class ForwardingStore implements KeyValueStore {
    private final KeyValueStore below;

    protected ForwardingStore(KeyValueStore below) {
        this.below = below;
    }

    protected final KeyValueStore below() {
        return below;
    }

    @Override
    public Capabilities capabilities() {
        return below.capabilities();
    }

    @Override
    public Set<String> tables() {
        return below.tables();
    }

    @Override
    public void createTable(String table) {
        below.createTable(table);
    }

    @Override
    public void dropTable(String table) {
        below.dropTable(table);
    }

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        return below.get(table, key);
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        return below.get(table, keys);
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        return below.scan(table, range, direction, limit);
    }

    @Override
    public void write(WriteBatch batch) {
        below.write(batch);
    }

    @Override
    public DurableStep durableStep() {
        return below.durableStep();
    }

    @Override
    public StoreView view() {
        return below.view();
    }

    @Override
    public Optional<String> problem() {
        return below.problem();
    }

    @Override
    public boolean reopeningHelps() {
        return below.reopeningHelps();
    }

    @Override
    public long retries() {
        return below.retries();
    }

    @Override
    public void close() {
        below.close();
    }
}
