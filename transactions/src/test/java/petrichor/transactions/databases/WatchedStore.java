package petrichor.transactions.databases;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.log.CommitLog;
import petrichor.transactions.log.LogCodec;
import petrichor.transactions.rows.TableLayout;

/** A store that writes single rows conditionally and records its calls. */
final class WatchedStore implements KeyValueStore {
    private final MemoryStore store =
            MemoryStore.open(MemoryOptions.DEFAULT.withTier(MemoryOptions.Tier.B).withoutViews());
    private final DurableStep.ConditionalRow step =
            (DurableStep.ConditionalRow) store.durableStep();
    private final List<String> calls = new ArrayList<>();
    private final boolean plain;

    /**
     * Called twice: before and after a record of a plain log is written, both before its gate is
     * read.
     */
    volatile Runnable beforeAppend = () -> {};

    volatile Runnable afterAppend = () -> {};

    /** Whether conditional writes fail. */
    volatile boolean conditionsFail;

    WatchedStore() {
        this(false);
    }

    /**
     * @param plain whether conditional writes are expensive
     */
    WatchedStore(boolean plain) {
        this.plain = plain;
    }

    volatile int valueBytesMax = MemoryStore.VALUE_BYTES_MAX;

    /** Runs before the store reads a row of the log. */
    volatile Runnable beforeRead = () -> {};

    /** The first attempt is written, its answer lost, and the driver has retried by itself. */
    volatile boolean triesTwice;

    /** The next row of the log is written, but the store reports an unknown outcome. */
    volatile boolean losesAnswer;

    /** Runs before that outcome is reported. */
    volatile Runnable meanwhile = () -> {};

    /** The next seal is not written, and the store reports an unknown outcome. */
    volatile boolean dropsSeal;

    /** Runs before the store writes a row conditionally. */
    volatile Runnable beforePutIfAbsent = () -> {};

    /** Number of further writes to the log that succeed. */
    volatile int logWritesMax = Integer.MAX_VALUE;

    /** Writes of database rows fail, except checkpoints. */
    volatile boolean rowsFail;

    /** Writes of checkpoints fail. */
    volatile boolean notesFail;

    /** Runs after versioned rows were written. */
    volatile Runnable afterRows = () -> {};

    /** All versioned changes. */
    final List<WriteBatch.Op> changes = new ArrayList<>();

    /** The calls since the last call of this method. */
    synchronized List<String> calls() {
        List<String> all = List.copyOf(calls);
        calls.clear();
        return all;
    }

    private synchronized void note(String call, String table) {
        calls.add(call + " " + table);
    }

    int rows(String table) {
        int rows = 0;
        try (Scan scan = store.scan(table, KeyRange.ALL, Direction.FORWARD, Integer.MAX_VALUE)) {
            while (scan.next()) {
                rows++;
            }
        }
        return rows;
    }

    @Override
    public DurableStep durableStep() {
        return plain ? new PlainAppends() : new ConditionalRows();
    }

    private synchronized void requireLogWritable(String table) {
        if (table.equals(CommitLog.TABLE) && logWritesMax-- <= 0) {
            throw new PetrichorException(ErrorCode.UNAVAILABLE, "The store is away.");
        }
    }

    private final class PlainAppends extends ConditionalRows implements DurableStep.PlainAppend {
        @Override
        public byte @Nullable [] putThenRead(
                String table, byte[] key, byte[] value, long version, byte[] other) {
            note("putThenRead", table);
            Runnable before = beforeAppend;
            beforeAppend = () -> {};
            before.run();
            step.putIfNewer(new WriteBatch().put(table, key, value), version);
            Runnable after = afterAppend;
            afterAppend = () -> {};
            after.run();
            if (losesAnswer) {
                losesAnswer = false;
                throw new PetrichorException(ErrorCode.UNAVAILABLE, "The answer is lost.");
            }
            return store.get(table, other);
        }
    }

    private class ConditionalRows implements DurableStep.ConditionalRow {
        @Override
        public Outcome putIfAbsent(String table, byte[] key, byte[] value) {
            note("putIfAbsent", table);
            if (conditionsFail) {
                throw new PetrichorException(ErrorCode.UNAVAILABLE, "The store is away.");
            }
            requireLogWritable(table);
            beforePutIfAbsent.run();
            if (dropsSeal && table.equals(CommitLog.TABLE) && value[0] == LogCodec.SEAL) {
                dropsSeal = false;
                return Outcome.UNKNOWN;
            }
            Outcome outcome = step.putIfAbsent(table, key, value);
            if (losesAnswer) {
                losesAnswer = false;
                meanwhile.run();
                return Outcome.UNKNOWN;
            }
            return triesTwice ? step.putIfAbsent(table, key, value) : outcome;
        }

        @Override
        public byte @Nullable [] read(String table, byte[] key) {
            note("read", table);
            beforeRead.run();
            return step.read(table, key);
        }

        @Override
        public void putIfNewer(WriteBatch batch, long version) {
            note("putIfNewer", batch.ops().getFirst().table());
            boolean note = batch.ops().getFirst().table().equals(TableLayout.META);
            if (note ? notesFail : rowsFail) {
                throw new PetrichorException(ErrorCode.UNAVAILABLE, "The store is away.");
            }
            changes.addAll(batch.ops());
            step.putIfNewer(batch, version);
            afterRows.run();
        }
    }

    @Override
    public Capabilities capabilities() {
        Capabilities all = store.capabilities();
        return all.withLimits(all.limits().withValueBytesMax(valueBytesMax));
    }

    @Override
    public Set<String> tables() {
        return store.tables();
    }

    @Override
    public void createTable(String table) {
        store.createTable(table);
    }

    @Override
    public void dropTable(String table) {
        store.dropTable(table);
    }

    @Override
    public void write(WriteBatch batch) {
        note("write", batch.ops().getFirst().table());
        requireLogWritable(batch.ops().getFirst().table());
        store.write(batch);
    }

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        note("get", table);
        return store.get(table, key);
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        note("get", table);
        return store.get(table, keys);
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        note("scan", table);
        return store.scan(table, range, direction, limit);
    }

    @Override
    public void close() {
        store.close();
    }
}
