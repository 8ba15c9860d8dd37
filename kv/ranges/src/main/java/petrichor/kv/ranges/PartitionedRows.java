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
 * A store that keeps order only inside a partition: rows in partitions, the state of each
 * partition, and a directory. Everything is strongly consistent: a read that starts after a change
 * was acknowledged sees it, from any process.
 *
 * <p>Thread-safe. Failures are those of {@link petrichor.kv.KeyValueStore}; the futures fail with
 * {@link petrichor.base.PetrichorException}. Neither side changes an array after passing it on.
 */
public interface PartitionedRows extends AutoCloseable {

    /** Rows, and the state of their partition, read at the same time or later. */
    record Values(PartitionState state, List<byte @Nullable []> values) {}

    /** One row. */
    record Row(byte[] key, byte[] value) {}

    /**
     * Rows in scan order, and the state of their partition, read at the same time or later.
     *
     * @param resumeAt where to continue: the first key that is not in this page, or in reverse
     *     direction the exclusive end of the rest; null if nothing is left of the range
     */
    record Page(PartitionState state, List<Row> rows, byte @Nullable [] resumeAt) {
        // Not the compact form: its class file would lack the nullness of resumeAt.
        public Page(PartitionState state, List<Row> rows, byte @Nullable [] resumeAt) {
            this.state = state;
            this.rows = rows;
            this.resumeAt = resumeAt;
        }
    }

    /** Outcome of a conditional write. */
    enum Conditional {
        DONE,
        /** The row exists; nothing was written. */
        PRESENT,
        /** The partition no longer accepts changes; nothing was written. */
        NOT_OPEN,
        /** The outcome is unknown. */
        UNKNOWN
    }

    Capabilities capabilities();

    /**
     * Maximum size of keys and values in one write call; a single row may exceed it. Derived from
     * what the servers report.
     */
    int writeBytesMax();

    /** One value per key, in the order of the keys. */
    CompletableFuture<Values> read(long partition, List<byte[]> keys);

    /** Like {@link #read}, but linearizable with all conditional writes. */
    CompletableFuture<Values> readLinearizably(long partition, byte[] key);

    /**
     * @param rowsMax maximum rows of a page; a page may have fewer, even none, without being the
     *     last one
     */
    CompletableFuture<Page> page(long partition, KeyRange range, Direction direction, int rowsMax);

    /** Up to {@code keysMax} keys in order, starting at {@code from}, for measuring. */
    CompletableFuture<List<byte[]>> keys(long partition, byte[] from, int keysMax);

    /** Works in any state of the partition; all operations have the same version. */
    CompletableFuture<Void> putIfNewer(long partition, List<WriteBatch.Op> ops, long version);

    /** Returns false and writes nothing unless the partition is open. */
    CompletableFuture<Boolean> write(long partition, List<WriteBatch.Op> ops);

    /** Whether {@link #putIfAbsent} costs as much as several other writes. */
    default boolean conditionsAreDear() {
        return false;
    }

    /** Writes only if the partition is open. */
    CompletableFuture<Conditional> putIfAbsent(long partition, byte[] key, byte[] value);

    CompletableFuture<PartitionState> state(long partition);

    /**
     * Creates a partition in this state, {@code NEW} or {@code OPEN}, unless it ever had a state.
     */
    void make(long partition, PartitionState state);

    /** Changes {@code NEW} to {@code OPEN}; does nothing in any other state. */
    void open(long partition);

    /**
     * Changes {@code OPEN} to {@code SEALED}, linearizable with all conditional writes to the
     * partition.
     *
     * @return the plan with which it is sealed, this one or an earlier one; null if it is gone
     */
    @Nullable SplitPlan seal(long partition, SplitPlan plan);

    /** The plan with which the partition is sealed; null if it is not sealed. */
    @Nullable SplitPlan plan(long partition);

    /** Deletes all rows and sets the state to {@code GONE}, from any state. */
    void discard(long partition);

    /**
     * A page of a partition's content.
     *
     * @param first whether this is the first page, which includes all range deletions
     */
    PartitionContents contents(long partition, byte[] from, boolean first, int rowsMax);

    /**
     * Writes rows copied from another partition. Versioned rows and range deletions keep their
     * versions, so that late and repeated copies are harmless; other rows are written only while
     * the partition is {@code NEW}.
     */
    void copy(long partition, PartitionContents contents);

    /** Where the copy of a sealed partition resumes; null if no progress is recorded. */
    byte @Nullable [] copied(long partition);

    /** Records that all rows before this key are in the partitions that replace this one. */
    void noteCopied(long partition, byte[] next);

    /** The tables with entries in the directory. */
    Set<String> tables();

    /** The directory entries of a table, in order, linearizably; empty if it has none. */
    List<RangeEntry> directory(String table);

    /** Adds the first entry of a table; false if the table has entries. */
    boolean enter(String table, RangeEntry first);

    /** Atomically replaces an entry by others; false if the entry no longer exists. */
    boolean replace(SplitPlan plan);

    /**
     * Removes these entries; false if the table has others. Many entries are removed in several
     * steps, the first entry last: until then the table has entries whose partitions are gone.
     */
    boolean remove(String table, List<RangeEntry> lines);

    /** See {@link petrichor.kv.KeyValueStore#retries}. */
    default long retries() {
        return 0;
    }

    @Override
    void close();
}
