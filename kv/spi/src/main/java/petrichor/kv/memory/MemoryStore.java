package petrichor.kv.memory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.KeyTree;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;
import petrichor.kv.StoreLimits;
import petrichor.kv.StoreView;
import petrichor.kv.WriteBatch;

/**
 * Keeps all rows in the heap of this process; nothing survives it. Reads never wait: they use the
 * immutable trees of the last finished write. Writes are serialized. A batch is always applied as a
 * whole, even where the options make the store promise less.
 *
 * <p>Fails only on invalid arguments, or when the heap is exhausted.
 */
public final class MemoryStore implements KeyValueStore {
    /** Ample for keys of entities and composite indexes; the same as in the store on disk. */
    public static final int KEY_BYTES_MAX = 1 << 20;

    public static final int VALUE_BYTES_MAX = 64 << 20;

    private final MemoryOptions options;
    private final MemoryReads reads;
    private final DurableStep durableStep;

    /** Guards every change and the fields below, except for reads of the tables. */
    private final Object writing = new Object();

    private volatile @Nullable Tables tables;
    private final SplittableRandom priorities = new SplittableRandom(1);
    private final Map<Bytes, Long> fences = new HashMap<>();
    private final RowVersions versions = new RowVersions();
    private long lastFence;

    private MemoryStore(MemoryOptions options, Tables tables) {
        this.options = options;
        this.tables = tables;
        this.reads = new MemoryReads(this::openTables, options.nativeViews());
        this.durableStep =
                switch (options.tier()) {
                    case A -> new AtomicBatch();
                    case B -> new ConditionalRow();
                    case B_PLAIN -> new PlainAppend();
                    case C -> (DurableStep.PlainRow) this::putRow;
                };
    }

    /** Opens an empty store with views and atomic batches. */
    public static MemoryStore open() {
        return open(MemoryOptions.DEFAULT);
    }

    public static MemoryStore open(MemoryOptions options) {
        return new MemoryStore(options, Tables.NONE);
    }

    /**
     * Closes this store and returns one with the same rows, fences and options: the equivalent of
     * restarting a store on disk.
     */
    public MemoryStore reopen() {
        synchronized (writing) {
            MemoryStore next = new MemoryStore(options, openTables());
            next.fences.putAll(fences);
            next.versions.takeFrom(versions);
            next.lastFence = lastFence;
            tables = null;
            return next;
        }
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(
                options.nativeViews(), new StoreLimits(KEY_BYTES_MAX, VALUE_BYTES_MAX));
    }

    @Override
    public Set<String> tables() {
        return new TreeSet<>(openTables().trees().keySet());
    }

    @Override
    public void createTable(String table) {
        StoreFailures.requireTableName(table);
        synchronized (writing) {
            tables = openTables().withTable(table);
        }
    }

    @Override
    public void dropTable(String table) {
        synchronized (writing) {
            tables = openTables().withoutTable(table);
            versions.forget(table);
        }
    }

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        return reads.get(table, key);
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        return reads.get(table, keys);
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        return reads.scan(table, range, direction, limit);
    }

    @Override
    public void write(WriteBatch batch) {
        StoreFailures.requireFits(batch, capabilities());
        synchronized (writing) {
            tables = openTables().with(batch.ops(), priorities);
        }
    }

    @Override
    public DurableStep durableStep() {
        return durableStep;
    }

    @Override
    public StoreView view() {
        if (!options.nativeViews()) {
            throw new UnsupportedOperationException("this store was opened without views");
        }
        return new MemoryView(openTables());
    }

    /** Open views stay readable: they do not depend on the store. */
    @Override
    public void close() {
        synchronized (writing) {
            tables = null;
        }
    }

    private Tables openTables() {
        Tables now = tables;
        if (now == null) {
            throw StoreFailures.closed();
        }
        return now;
    }

    private void putRow(String table, byte[] key, byte[] value) {
        write(new WriteBatch().put(table, key, value));
    }

    private final class AtomicBatch implements DurableStep.AtomicBatch {
        @Override
        public long takeFence(byte[] domain) {
            synchronized (writing) {
                openTables();
                fences.put(Bytes.of(domain.clone()), ++lastFence);
                return lastFence;
            }
        }

        @Override
        public DurableStep.Outcome commit(byte[] domain, long fence, WriteBatch batch) {
            synchronized (writing) {
                Long newest = fences.get(Bytes.of(domain));
                if (newest == null || newest != fence) {
                    return DurableStep.Outcome.FENCED;
                }
                write(batch);
                return DurableStep.Outcome.DONE;
            }
        }
    }

    private final class PlainAppend extends ConditionalRow implements DurableStep.PlainAppend {
        @Override
        public byte @Nullable [] putThenRead(
                String table, byte[] key, byte[] value, long version, byte[] other) {
            putIfNewer(new WriteBatch().put(table, key, value), version);
            return get(table, other);
        }
    }

    private class ConditionalRow implements DurableStep.ConditionalRow {
        @Override
        public DurableStep.Outcome putIfAbsent(String table, byte[] key, byte[] value) {
            synchronized (writing) {
                if (KeyTree.find(openTables().tree(table), key) != null) {
                    return DurableStep.Outcome.FENCED;
                }
                putRow(table, key, value);
                return DurableStep.Outcome.DONE;
            }
        }

        @Override
        public byte @Nullable [] read(String table, byte[] key) {
            return get(table, key);
        }

        @Override
        public void putIfNewer(WriteBatch batch, long version) {
            StoreFailures.requireFits(batch, capabilities());
            synchronized (writing) {
                Tables before = openTables();
                tables = before.with(versions.admit(batch, version, before), priorities);
            }
        }
    }
}
