package petrichor.kv.cassandra;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.StoreLimits;
import petrichor.kv.WriteBatch;
import petrichor.kv.ranges.PartitionContents;
import petrichor.kv.ranges.PartitionState;
import petrichor.kv.ranges.PartitionedRows;
import petrichor.kv.ranges.RangeEntry;
import petrichor.kv.ranges.SplitPlan;

/** The partitions and the directory of one store in a keyspace. */
final class CassandraRows implements PartitionedRows {
    /** All clustering columns of a row may have 65,535 bytes in total. */
    static final int KEY_BYTES_MAX = 65_000;

    /** Large enough to make the overhead negligible, small compared with any usual limit. */
    private static final int WRITE_BYTES_MAX = 1 << 20;

    private final Queries queries;
    private final int valueBytesMax;
    private final CassandraDirectory directory;
    private final PartitionReads reads;
    private final PartitionWrites writes;
    private final Appends appends;
    private final PartitionLife life;

    CassandraRows(Queries queries, String space, int valueBytesMax) {
        this.queries = queries;
        this.valueBytesMax = valueBytesMax;
        this.directory = new CassandraDirectory(queries, space, writeBytesMax());
        this.reads = new PartitionReads(queries);
        this.writes = new PartitionWrites(queries);
        this.appends = new Appends(writes, writeBytesMax());
        this.life = new PartitionLife(queries, writes);
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(
                false, new StoreLimits(Math.min(KEY_BYTES_MAX, valueBytesMax), valueBytesMax));
    }

    @Override
    public final int writeBytesMax() {
        return Math.min(WRITE_BYTES_MAX, valueBytesMax);
    }

    @Override
    public long retries() {
        return CassandraSessions.retries(queries.session());
    }

    @Override
    public CompletableFuture<Values> read(long partition, List<byte[]> keys) {
        return reads.read(partition, keys);
    }

    @Override
    public CompletableFuture<Values> readLinearizably(long partition, byte[] key) {
        return reads.readSerially(partition, key);
    }

    @Override
    public CompletableFuture<Page> page(
            long partition, KeyRange range, Direction direction, int rowsMax) {
        return reads.page(partition, range, direction, rowsMax);
    }

    @Override
    public CompletableFuture<List<byte[]>> keys(long partition, byte[] from, int keysMax) {
        return reads.keys(partition, from, keysMax);
    }

    @Override
    public CompletableFuture<Void> putIfNewer(
            long partition, List<WriteBatch.Op> ops, long version) {
        return writes.putIfNewer(partition, ops, version);
    }

    @Override
    public CompletableFuture<Boolean> write(long partition, List<WriteBatch.Op> ops) {
        return writes.write(partition, ops);
    }

    /** Three rounds between nodes, each synced. */
    @Override
    public boolean conditionsAreDear() {
        return true;
    }

    @Override
    public CompletableFuture<Conditional> putIfAbsent(long partition, byte[] key, byte[] value) {
        return appends.putIfAbsent(partition, key, value);
    }

    @Override
    public CompletableFuture<PartitionState> state(long partition) {
        return reads.state(partition);
    }

    @Override
    public void make(long partition, PartitionState state) {
        life.make(partition, state);
    }

    @Override
    public void open(long partition) {
        life.open(partition);
    }

    @Override
    public @Nullable SplitPlan seal(long partition, SplitPlan plan) {
        return life.seal(partition, plan);
    }

    @Override
    public @Nullable SplitPlan plan(long partition) {
        return life.plan(partition);
    }

    @Override
    public void discard(long partition) {
        life.discard(partition);
    }

    @Override
    public PartitionContents contents(long partition, byte[] from, boolean first, int rowsMax) {
        return life.contents(partition, from, first, rowsMax);
    }

    @Override
    public void copy(long partition, PartitionContents contents) {
        life.copy(partition, contents);
    }

    @Override
    public byte @Nullable [] copied(long partition) {
        return life.copied(partition);
    }

    @Override
    public void noteCopied(long partition, byte[] next) {
        life.noteCopied(partition, next);
    }

    @Override
    public Set<String> tables() {
        return directory.tables();
    }

    @Override
    public List<RangeEntry> directory(String table) {
        return directory.lines(table);
    }

    @Override
    public boolean enter(String table, RangeEntry first) {
        return directory.enter(table, first);
    }

    @Override
    public boolean replace(SplitPlan plan) {
        return directory.replace(plan);
    }

    @Override
    public boolean remove(String table, List<RangeEntry> lines) {
        return directory.remove(table, lines);
    }

    @Override
    public void close() {
        CassandraSessions.close(queries.session());
    }
}
