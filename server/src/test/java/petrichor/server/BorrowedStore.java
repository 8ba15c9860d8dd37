package petrichor.server;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.StoreView;
import petrichor.kv.WriteBatch;

/** One server's connection to a store that others use, too. */
final class BorrowedStore implements KeyValueStore {
    private final KeyValueStore shared;

    BorrowedStore(KeyValueStore shared) {
        this.shared = shared;
    }

    @Override
    public Capabilities capabilities() {
        return shared.capabilities();
    }

    @Override
    public Set<String> tables() {
        return shared.tables();
    }

    @Override
    public void createTable(String table) {
        shared.createTable(table);
    }

    @Override
    public void dropTable(String table) {
        shared.dropTable(table);
    }

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        return shared.get(table, key);
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        return shared.get(table, keys);
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        return shared.scan(table, range, direction, limit);
    }

    @Override
    public void write(WriteBatch batch) {
        shared.write(batch);
    }

    @Override
    public DurableStep durableStep() {
        return shared.durableStep();
    }

    @Override
    public StoreView view() {
        return shared.view();
    }

    @Override
    public void close() {}
}
