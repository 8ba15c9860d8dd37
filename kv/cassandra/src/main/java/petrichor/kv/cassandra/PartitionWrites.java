package petrichor.kv.cassandra;

import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;
import petrichor.kv.ranges.PartitionState;
import petrichor.kv.ranges.PartitionedRows.Conditional;

/**
 * Writes of one partition. Versioned changes are plain writes with their version as timestamp. All
 * others are conditional on the partition's state, so that Paxos orders them with its sealing;
 * Paxos assigns their timestamps, so no local clock is involved.
 */
final class PartitionWrites {
    /** As long as Cassandra keeps tombstones: gc_grace_seconds. */
    static final Duration DELETIONS_KEPT = Duration.ofDays(10);

    private static final int DELETIONS_KEPT_S = (int) DELETIONS_KEPT.toSeconds();
    private static final ByteBuffer TO_THE_END = ByteBuffer.allocate(0);

    private final Queries queries;
    private final PreparedStatement versionedPut;
    private final PreparedStatement versionedDelete;
    private final PreparedStatement rangeDelete;
    private final PreparedStatement rangeDeleteToEnd;
    private final PreparedStatement rangeDeleteNote;
    private final PreparedStatement inState;
    private final PreparedStatement put;
    private final PreparedStatement delete;
    private final PreparedStatement plainRangeDelete;
    private final PreparedStatement plainRangeDeleteToEnd;
    private final PreparedStatement putIfAbsent;

    PartitionWrites(Queries queries) {
        this.queries = queries;
        String row = " WHERE part = ? AND kind = 1 AND key = ?";
        String from = " WHERE part = ? AND kind = 1 AND key >= ?";
        this.versionedPut =
                queries.timestampedWrite("UPDATE $.rows USING TIMESTAMP ? SET value = ?" + row);
        this.versionedDelete =
                queries.timestampedWrite(
                        "UPDATE $.rows USING TIMESTAMP ? AND TTL "
                                + DELETIONS_KEPT_S
                                + " SET value = ?"
                                + row);
        this.rangeDelete =
                queries.timestampedWrite(
                        "DELETE FROM $.rows USING TIMESTAMP ?" + from + " AND key < ?");
        this.rangeDeleteToEnd =
                queries.timestampedWrite("DELETE FROM $.rows USING TIMESTAMP ?" + from);
        this.rangeDeleteNote =
                queries.timestampedWrite(
                        "UPDATE $.range_deletes USING TTL "
                                + DELETIONS_KEPT_S
                                + " SET kept = true WHERE part = ? AND version = ? AND first = ?"
                                + " AND last = ?");
        this.inState =
                queries.conditionalWrite("UPDATE $.rows SET state = ? WHERE part = ? IF state = ?");
        this.put = queries.conditionalWrite("UPDATE $.rows SET value = ?" + row);
        this.delete = queries.conditionalWrite("DELETE FROM $.rows" + row);
        this.plainRangeDelete =
                queries.conditionalWrite("DELETE FROM $.rows" + from + " AND key < ?");
        this.plainRangeDeleteToEnd = queries.conditionalWrite("DELETE FROM $.rows" + from);
        this.putIfAbsent =
                queries.conditionalWrite(
                        "UPDATE $.rows SET value = ?" + row + " IF value = null AND state = ?");
    }

    CompletableFuture<Void> putIfNewer(long partition, List<WriteBatch.Op> ops, long version) {
        List<BatchableStatement<?>> changes = new ArrayList<>();
        List<CompletableFuture<?>> asked = new ArrayList<>();
        for (WriteBatch.Op op : ops) {
            switch (op) {
                case WriteBatch.Put(_, byte[] key, byte[] value) ->
                        changes.add(versionedPut(partition, key, value, version));
                case WriteBatch.Delete(_, byte[] key) ->
                        changes.add(versionedDelete(partition, key, version));
                case WriteBatch.DeleteRange(_, KeyRange range) -> {
                    changes.add(rangeDelete(partition, range, version));
                    asked.add(queries.ask(rangeDeleteNote(partition, range, version)));
                }
            }
        }
        asked.add(queries.ask(timestamped(changes)));
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new));
    }

    static Statement<?> timestamped(List<BatchableStatement<?>> changes) {
        return changes.size() == 1 ? changes.getFirst() : Queries.batch(changes, true);
    }

    BatchableStatement<?> versionedPut(long partition, byte[] key, byte[] value, long version) {
        return versionedPut.bind(
                WriteTimestamps.ofRow(version),
                StoredValue.versioned(value),
                partition,
                ByteBuffer.wrap(key));
    }

    BatchableStatement<?> versionedDelete(long partition, byte[] key, long version) {
        return versionedDelete.bind(
                WriteTimestamps.ofRow(version),
                StoredValue.deleted(),
                partition,
                ByteBuffer.wrap(key));
    }

    BatchableStatement<?> rangeDelete(long partition, KeyRange range, long version) {
        return rangeDelete(
                partition, range.from(), range.to(), WriteTimestamps.ofRangeDelete(version));
    }

    BatchableStatement<?> rangeDelete(
            long partition, byte[] first, byte @Nullable [] to, long stamp) {
        ByteBuffer from = ByteBuffer.wrap(first);
        return to == null
                ? rangeDeleteToEnd.bind(stamp, partition, from)
                : rangeDelete.bind(stamp, partition, from, ByteBuffer.wrap(to));
    }

    /** Needed by a split to repeat the deletion in the partitions that follow this one. */
    BatchableStatement<?> rangeDeleteNote(long partition, KeyRange range, long version) {
        byte[] to = range.to();
        return rangeDeleteNote.bind(
                partition,
                version,
                ByteBuffer.wrap(range.from()),
                to == null ? TO_THE_END.duplicate() : ByteBuffer.wrap(to));
    }

    /**
     * One conditional write, or several if a range is deleted: all operations of one write have the
     * same timestamp, at which deletions win, so rows put after a range deletion are written later.
     */
    CompletableFuture<Boolean> write(long partition, List<WriteBatch.Op> ops) {
        CompletableFuture<Boolean> done = CompletableFuture.completedFuture(true);
        List<BatchableStatement<?>> changes = new ArrayList<>();
        for (WriteBatch.Op op : ops) {
            switch (op) {
                case WriteBatch.Put(_, byte[] key, byte[] value) ->
                        changes.add(put(partition, key, value));
                case WriteBatch.Delete(_, byte[] key) ->
                        changes.add(delete.bind(partition, ByteBuffer.wrap(key)));
                case WriteBatch.DeleteRange(_, KeyRange range) -> {
                    changes.add(plainRangeDelete(partition, range));
                    done = then(done, partition, changes);
                    changes = new ArrayList<>();
                }
            }
        }
        return changes.isEmpty() ? done : then(done, partition, changes);
    }

    BatchableStatement<?> put(long partition, byte[] key, byte[] value) {
        return put.bind(StoredValue.plain(value), partition, ByteBuffer.wrap(key));
    }

    private BatchableStatement<?> plainRangeDelete(long partition, KeyRange range) {
        ByteBuffer from = ByteBuffer.wrap(range.from());
        byte[] to = range.to();
        return to == null
                ? plainRangeDeleteToEnd.bind(partition, from)
                : plainRangeDelete.bind(partition, from, ByteBuffer.wrap(to));
    }

    private CompletableFuture<Boolean> then(
            CompletableFuture<Boolean> before,
            long partition,
            List<BatchableStatement<?>> changes) {
        return before.thenCompose(
                done ->
                        done
                                ? inState(partition, PartitionState.OPEN, changes)
                                : CompletableFuture.completedFuture(false));
    }

    /**
     * Writes everything if the partition is in this state; otherwise nothing, and returns false.
     */
    CompletableFuture<Boolean> inState(
            long partition, PartitionState state, List<BatchableStatement<?>> changes) {
        int number = States.number(state);
        List<BatchableStatement<?>> all = new ArrayList<>();
        all.add(inState.bind(number, partition, number));
        all.addAll(changes);
        return queries.ask(Queries.batch(all, false)).thenApply(AsyncResultSet::wasApplied);
    }

    /** Writes all rows, or none if one of them exists. */
    CompletableFuture<Conditional> putIfAbsent(long partition, List<Appends.Append> rows) {
        List<BatchableStatement<?>> puts = new ArrayList<>();
        for (Appends.Append row : rows) {
            puts.add(
                    putIfAbsent.bind(
                            StoredValue.plain(row.value()),
                            partition,
                            ByteBuffer.wrap(row.key()),
                            States.number(PartitionState.OPEN)));
        }
        Statement<?> all = puts.size() == 1 ? puts.getFirst() : Queries.batch(puts, false);
        return queries.askUntranslated(all)
                .toCompletableFuture()
                .handle(
                        (answer, failure) -> {
                            if (failure == null) {
                                return outcome(answer);
                            }
                            if (CassandraFailures.neverSent(failure)) {
                                throw queries.failures().of(failure);
                            }
                            return Conditional.UNKNOWN;
                        });
    }

    private static Conditional outcome(AsyncResultSet answer) {
        if (answer.wasApplied()) {
            return Conditional.DONE;
        }
        Row there = answer.one();
        boolean open =
                there != null
                        && there.getColumnDefinitions().contains("state")
                        && !there.isNull("state")
                        && States.of(there.getInt("state")) == PartitionState.OPEN;
        return open ? Conditional.PRESENT : Conditional.NOT_OPEN;
    }
}
