package petrichor.bench;

import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.StoreView;
import petrichor.kv.WriteBatch;

/**
 * A store whose durable steps are watched: each batch is shown before it is written. Owns the store
 * below.
 */
final class WatchedStore implements KeyValueStore {
    private final KeyValueStore below;
    private final Consumer<WriteBatch> watcher;

    WatchedStore(KeyValueStore below, Consumer<WriteBatch> watcher) {
        this.below = below;
        this.watcher = watcher;
    }

    @Override
    public DurableStep durableStep() {
        if (!(below.durableStep() instanceof DurableStep.AtomicBatch step)) {
            throw new IllegalStateException("only a store of tier A can be watched");
        }
        return new DurableStep.AtomicBatch() {
            @Override
            public long takeFence(byte[] domain) {
                return step.takeFence(domain);
            }

            @Override
            public Outcome commit(byte[] domain, long fence, WriteBatch batch) {
                watcher.accept(batch);
                return step.commit(domain, fence, batch);
            }
        };
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
    public void write(WriteBatch batch) {
        below.write(batch);
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
    public StoreView view() {
        return below.view();
    }

    @Override
    public void close() {
        below.close();
    }
}
