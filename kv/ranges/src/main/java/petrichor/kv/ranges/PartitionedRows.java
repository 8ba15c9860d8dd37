package petrichor.kv.ranges;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;

/**
 * What a store gives that is ordered inside a partition: rows of partitions, the state of each
 * partition, and a directory. Everything is strongly consistent: a read that begins after a change
 * was acknowledged sees it, wherever both come from.
 *
 * <p>Safe for any thread. Failures are those of {@link petrichor.kv.KeyValueStore}; the futures
 * fail with {@link petrichor.base.PetrichorException}. Neither side changes an array after passing
 * it on.
 */
public interface PartitionedRows extends AutoCloseable {

    /** Rows and the state of their partition, which was read not before them. */
    record Values(PartitionState state, List<byte @Nullable []> values) {}

    /** One row. */
    record Row(byte[] key, byte[] value) {}

    /**
     * Rows in the order that was asked for, and the state of their partition, which was read not
     * before them.
     *
     * @param resumeAt where to continue: the first key that is not in this page, or for the reverse
     *     direction the end (exclusive) of what is not; null if nothing is left of the range
     */
    record Page(PartitionState state, List<Row> rows, byte @Nullable [] resumeAt) {
        // Not the compact form: its class file would not say that nothing may be left.
        public Page(PartitionState state, List<Row> rows, byte @Nullable [] resumeAt) {
            this.state = state;
            this.rows = rows;
            this.resumeAt = resumeAt;
        }
    }

    /** What became of a conditional write. */
    enum Conditional {
        DONE,
        /** There is such a row; nothing was written. */
        PRESENT,
        /** The partition takes no changes any more; nothing was written. */
        NOT_OPEN,
        /** The outcome is unknown. */
        UNKNOWN
    }

    Capabilities capabilities();

    /**
     * Most bytes of keys and values that one call of a write takes; a single row may have more.
     * Derived from what the servers report.
     */
    int writeBytesMax();

    /** As many values as keys, in their order. */
    CompletableFuture<Values> read(long partition, List<byte[]> keys);

    /** Like {@link #read}, in one order with all conditional writes. */
    CompletableFuture<Values> readLinearizably(long partition, byte[] key);

    /**
     * @param rowsMax a page has no more rows; it may have fewer, even none, and still not be the
     *     last one
     */
    CompletableFuture<Page> page(long partition, KeyRange range, Direction direction, int rowsMax);

    /** Keys in order, for measuring: from this one on, at most so many. */
    CompletableFuture<List<byte[]>> keys(long partition, byte[] from, int keysMax);

    /** In any state of the partition; all operations have this one version. */
    CompletableFuture<Void> putIfNewer(long partition, List<WriteBatch.Op> ops, long version);

    /** Only if the partition is open, else false and nothing was written. */
    CompletableFuture<Boolean> write(long partition, List<WriteBatch.Op> ops);

    /** Whether {@link #putIfAbsent} costs as much as several of the other writes. */
    default boolean conditionsAreDear() {
        return false;
    }

    /** Only if the partition is open. */
    CompletableFuture<Conditional> putIfAbsent(long partition, byte[] key, byte[] value);

    CompletableFuture<PartitionState> state(long partition);

    /** Makes a partition in this state, {@code NEW} or {@code OPEN}, unless it ever had one. */
    void make(long partition, PartitionState state);

    /** From {@code NEW} to {@code OPEN}; nothing in any other state. */
    void open(long partition);

    /**
     * From {@code OPEN} to {@code SEALED}, in one order with all conditional writes to the
     * partition.
     *
     * @return the plan that it is sealed with, this one or an earlier one; null if it is gone
     */
    @Nullable SplitPlan seal(long partition, SplitPlan plan);

    /** The plan that a sealed partition is sealed with, else null. */
    @Nullable SplitPlan plan(long partition);

    /** Forgets all rows: {@code GONE}, from any state. */
    void discard(long partition);

    /**
     * A part of what a partition remembers.
     *
     * @param first whether it is the first part, which has the deleted ranges of all
     */
    PartitionContents contents(long partition, byte[] from, boolean first, int rowsMax);

    /**
     * Puts rows that come from another partition. Versioned ones and deleted ranges keep their
     * versions, so that they can come late and twice; the others are put only as long as the
     * partition is {@code NEW}.
     */
    void copy(long partition, PartitionContents contents);

    /** Where a copy of a sealed partition resumes; null if nothing of it is copied for sure. */
    byte @Nullable [] copied(long partition);

    /** Records that all rows before this key are in the partitions that replace this one. */
    void noteCopied(long partition, byte[] next);

    /** The tables that have lines in the directory. */
    Set<String> tables();

    /** The directory's lines of a table, in order, linearizably; none if it has none. */
    List<RangeEntry> directory(String table);

    /** Enters a table's first line; false if the table has lines. */
    boolean enter(String table, RangeEntry first);

    /** Replaces a line by others, all at once; false if the line is not there any more. */
    boolean replace(SplitPlan plan);

    /**
     * Takes these lines out; false if they are not what the table has. Many lines go in several
     * steps, the first line last: until then the table has lines, whose partitions are gone.
     */
    boolean remove(String table, List<RangeEntry> lines);

    /** See {@link petrichor.kv.KeyValueStore#retries}. */
    default long retries() {
        return 0;
    }

    @Override
    void close();
}
