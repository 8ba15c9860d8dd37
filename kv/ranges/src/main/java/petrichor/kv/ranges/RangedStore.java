package petrichor.kv.ranges;

import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;
import petrichor.kv.WriteBatch;

/**
 * A store of ordered tables over partitions that are each ordered. A read is one request to the
 * partition that holds its row; a batch is one request per partition, all in parallel. Thread-safe;
 * fails as specified by {@link KeyValueStore}.
 */
public final class RangedStore implements KeyValueStore {
    private final PartitionedRows rows;
    private final RangeDirectory directory;
    private final RangedReads reads;
    private final RangedWrites writes;
    private final RangeLimits limits;
    private final Backoff backoff;
    private final LongSupplier newPartition;
    private final Background background;
    private final SplitRecovery recovery;
    private volatile boolean closed;

    /** Opens a store over these rows, which it closes; splits run on its own thread. */
    public static RangedStore open(PartitionedRows rows, RangeLimits limits) {
        SecureRandom random = new SecureRandom();
        RangedStore store =
                new RangedStore(
                        rows,
                        limits,
                        random::nextLong,
                        random::nextLong,
                        Background.thread(),
                        Backoff::real);
        store.searchUnfinishedSplits();
        return store;
    }

    RangedStore(
            PartitionedRows rows,
            RangeLimits limits,
            LongSupplier newPartition,
            LongUnaryOperator random,
            Background background,
            Backoff backoff) {
        this.rows = rows;
        this.limits = limits;
        this.newPartition = newPartition;
        this.background = background;
        this.backoff = backoff;
        this.directory = new RangeDirectory(rows);
        this.reads = new RangedReads(rows, directory, limits, backoff);
        PartitionSplit split = new PartitionSplit(rows, limits, newPartition);
        this.recovery = new SplitRecovery(rows, split, background, System::nanoTime);
        this.writes =
                new RangedWrites(
                        rows,
                        directory,
                        new RangeSplitter(
                                directory, split, limits, random, background, backoff, recovery));
    }

    @Override
    public Capabilities capabilities() {
        return rows.capabilities();
    }

    @Override
    public Set<String> tables() {
        return ifOpen(rows::tables);
    }

    @Override
    public void createTable(String table) {
        StoreFailures.requireTableName(table);
        ifOpen(
                () -> {
                    while (!isThere(table)) {
                        RangeEntry whole = new RangeEntry(KeyRange.ALL, newPartition.getAsLong());
                        rows.make(whole.partition(), PartitionState.OPEN);
                        if (!rows.enter(table, whole)) {
                            rows.discard(whole.partition());
                        }
                    }
                    return true;
                });
    }

    /** A table whose partitions are gone was being dropped by a process that did not finish. */
    private boolean isThere(String table) {
        List<RangeEntry> lines = rows.directory(table);
        if (lines.isEmpty()) {
            return false;
        }
        if (Replies.await(rows.state(lines.getFirst().partition())) != PartitionState.GONE) {
            return true;
        }
        // Gone, or just split: then the entries are different now.
        if (rows.directory(table).equals(lines)) {
            rows.remove(table, lines);
        }
        return false;
    }

    @Override
    public void dropTable(String table) {
        ifOpen(
                () -> {
                    List<RangeEntry> lines = rows.directory(table);
                    while (!lines.isEmpty()) {
                        // The partitions first: a process with cached entries learns of the drop
                        // from them.
                        for (RangeEntry line : lines) {
                            discard(line.partition());
                        }
                        if (!rows.remove(table, lines)) {
                            backoff.pause(limits.pause());
                        }
                        lines = rows.directory(table);
                    }
                    directory.forget(table);
                    return true;
                });
    }

    /** Includes rows written to the partitions that were to replace it. */
    private void discard(long partition) {
        SplitPlan plan = rows.plan(partition);
        if (plan != null) {
            plan.children().forEach(child -> rows.discard(child.partition()));
        }
        rows.discard(partition);
    }

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        requireOpen();
        try {
            return reads.get(table, key);
        } catch (RuntimeException e) {
            throw closed ? StoreFailures.closed() : e;
        }
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        return ifOpen(() -> reads.get(table, keys));
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        StoreFailures.requireLimit(limit);
        return ifOpen(
                () -> {
                    directory.of(table);
                    return new RangedScan(
                            rows,
                            directory,
                            reads,
                            limits,
                            this::requireOpen,
                            table,
                            range,
                            direction,
                            limit);
                });
    }

    @Override
    public void write(WriteBatch batch) {
        StoreFailures.requireFits(batch, capabilities());
        ifOpen(
                () -> {
                    writes.write(batch);
                    return true;
                });
    }

    @Override
    public DurableStep durableStep() {
        return rows.conditionsAreDear() ? new PlainAppend() : new ConditionalRow();
    }

    private final class PlainAppend extends ConditionalRow implements DurableStep.PlainAppend {
        @Override
        public byte @Nullable [] putThenRead(
                String table, byte[] key, byte[] value, long version, byte[] other) {
            WriteBatch.Put put = new WriteBatch.Put(table, key, value);
            StoreFailures.requireFits(new WriteBatch().add(put), capabilities());
            requireOpen();
            try {
                return writes.putThenRead(put, version, other, reads);
            } catch (RuntimeException e) {
                throw closed ? StoreFailures.closed() : e;
            }
        }
    }

    private class ConditionalRow implements DurableStep.ConditionalRow {
        @Override
        public Outcome putIfAbsent(String table, byte[] key, byte[] value) {
            StoreFailures.requireFits(new WriteBatch().put(table, key, value), capabilities());
            return ifOpen(() -> writes.putIfAbsent(table, key, value));
        }

        @Override
        public byte @Nullable [] read(String table, byte[] key) {
            requireOpen();
            try {
                return reads.linearizable(table, key);
            } catch (RuntimeException e) {
                throw closed ? StoreFailures.closed() : e;
            }
        }

        @Override
        public void putIfNewer(WriteBatch batch, long version) {
            StoreFailures.requireFits(batch, capabilities());
            ifOpen(
                    () -> {
                        writes.putIfNewer(batch, version);
                        return true;
                    });
        }
    }

    @Override
    public Optional<String> problem() {
        return closed ? Optional.empty() : recovery.problem();
    }

    /** Finishes splits that another process left unfinished, in the background. */
    void searchUnfinishedSplits() {
        recovery.search();
    }

    private void requireOpen() {
        if (closed) {
            throw StoreFailures.closed();
        }
    }

    /** Reports failures caused by a concurrent close as such. */
    private <T> T ifOpen(Supplier<T> work) {
        requireOpen();
        try {
            return work.get();
        } catch (PetrichorException e) {
            throw e;
        } catch (RuntimeException e) {
            throw closed ? StoreFailures.closed() : e;
        }
    }

    @Override
    public long retries() {
        return rows.retries();
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        background.close();
        rows.close();
    }
}
