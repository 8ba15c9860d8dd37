package petrichor.kv.cassandra;

import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;
import petrichor.kv.ranges.PartitionContents;
import petrichor.kv.ranges.PartitionContents.StoredRangeDelete;
import petrichor.kv.ranges.PartitionContents.StoredRow;
import petrichor.kv.ranges.PartitionState;
import petrichor.kv.ranges.SplitPlan;

/** Creates, seals, copies and discards partitions. */
final class PartitionLife {
    private final Queries queries;
    private final PartitionWrites writes;
    private final PreparedStatement make;
    private final PreparedStatement mark;
    private final PreparedStatement open;
    private final PreparedStatement seal;
    private final PreparedStatement plan;
    private final PreparedStatement end;
    private final PreparedStatement forgetRangeDeletes;
    private final PreparedStatement contents;
    private final PreparedStatement rangeDeletes;
    private final PreparedStatement copied;
    private final PreparedStatement noteCopied;
    private final PreparedStatement forgetCopied;

    PartitionLife(Queries queries, PartitionWrites writes) {
        this.queries = queries;
        this.writes = writes;
        String part = " WHERE part = ?";
        String row = part + " AND kind = 0 AND key = 0x";
        this.make =
                queries.conditionalWrite("UPDATE $.rows SET state = ?" + part + " IF state = null");
        // A row that always exists, so that the state can always be read.
        this.mark = queries.conditionalWrite("UPDATE $.rows SET value = 0x00" + row);
        this.open =
                queries.conditionalWrite("UPDATE $.rows SET state = ?" + part + " IF state = ?");
        this.seal =
                queries.conditionalWrite(
                        "UPDATE $.rows SET state = ?, plan = ?" + part + " IF state = ?");
        this.plan = queries.readLinearizably("SELECT value, state, plan FROM $.rows" + row);
        this.end =
                queries.conditionalWrite(
                        "UPDATE $.rows SET state = ?, plan = null" + part + " IF state != ?");
        this.forgetRangeDeletes = queries.timestampedWrite("DELETE FROM $.range_deletes" + part);
        this.contents =
                queries.read(
                        "SELECT key, value, WRITETIME(value) AS stamp FROM $.rows"
                                + part
                                + " AND kind = 1 AND key >= ? LIMIT ?");
        this.rangeDeletes = queries.read("SELECT version, first, last FROM $.range_deletes" + part);
        // Next to the row that always exists: the progress of a copy.
        String progress = part + " AND kind = 0 AND key = 0x01";
        this.copied = queries.read("SELECT value FROM $.rows" + progress);
        this.noteCopied = queries.timestampedWrite("UPDATE $.rows SET value = ?" + progress);
        this.forgetCopied =
                queries.timestampedWrite("DELETE FROM $.rows USING TIMESTAMP ?" + progress);
    }

    void make(long partition, PartitionState state) {
        queries.applied(
                Queries.batch(
                        List.of(make.bind(States.number(state), partition), mark.bind(partition)),
                        false));
    }

    void open(long partition) {
        queries.applied(
                open.bind(
                        States.number(PartitionState.OPEN),
                        partition,
                        States.number(PartitionState.NEW)));
    }

    @Nullable SplitPlan seal(long partition, SplitPlan wanted) {
        boolean sealed =
                queries.applied(
                        seal.bind(
                                States.number(PartitionState.SEALED),
                                PlanCodec.encoded(wanted),
                                partition,
                                States.number(PartitionState.OPEN)));
        return sealed ? wanted : plan(partition);
    }

    @Nullable SplitPlan plan(long partition) {
        Row row = queries.row(plan.bind(partition));
        ByteBuffer encoded = row == null ? null : row.getByteBuffer("plan");
        if (row == null
                || encoded == null
                || States.of(row.getInt("state")) != PartitionState.SEALED) {
            return null;
        }
        return PlanCodec.decoded(encoded);
    }

    /**
     * Keeps the state; otherwise a late process could conclude that the partition never existed.
     */
    void discard(long partition) {
        int gone = States.number(PartitionState.GONE);
        queries.applied(end.bind(gone, partition, gone));
        queries.rows(
                (com.datastax.oss.driver.api.core.cql.Statement<?>)
                        writes.rangeDelete(partition, new byte[0], null, WriteTimestamps.LAST));
        queries.rows(forgetRangeDeletes.bind(partition));
        queries.rows(forgetCopied.bind(WriteTimestamps.LAST, partition));
    }

    byte @Nullable [] copied(long partition) {
        Row row = queries.row(copied.bind(partition));
        ByteBuffer next = row == null ? null : row.getByteBuffer("value");
        return next == null ? null : StoredValue.bytes(next);
    }

    void noteCopied(long partition, byte[] next) {
        queries.rows(noteCopied.bind(ByteBuffer.wrap(next), partition));
    }

    PartitionContents contents(long partition, byte[] from, boolean first, int rowsMax) {
        List<StoredRow> rows = new ArrayList<>();
        byte[] last = from;
        for (Row row : queries.rows(contents.bind(partition, ByteBuffer.wrap(from), rowsMax))) {
            ByteBuffer value = Objects.requireNonNull(row.getByteBuffer("value"));
            last = StoredValue.bytes(Objects.requireNonNull(row.getByteBuffer("key")));
            boolean versioned = StoredValue.isVersioned(value);
            long stamp = row.getLong("stamp");
            rows.add(
                    new StoredRow(
                            last,
                            StoredValue.value(value),
                            versioned,
                            versioned ? WriteTimestamps.versionOfRow(stamp) : stamp));
        }
        return new PartitionContents(
                rows,
                first ? rangeDeletes(partition) : List.of(),
                rows.size() < rowsMax ? null : Bytes.successor(last));
    }

    private List<StoredRangeDelete> rangeDeletes(long partition) {
        List<StoredRangeDelete> found = new ArrayList<>();
        for (Row row : queries.rows(rangeDeletes.bind(partition))) {
            byte[] from = StoredValue.bytes(Objects.requireNonNull(row.getByteBuffer("first")));
            byte[] to = StoredValue.bytes(Objects.requireNonNull(row.getByteBuffer("last")));
            found.add(
                    new StoredRangeDelete(
                            new KeyRange(from, to.length == 0 ? null : to),
                            row.getLong("version")));
        }
        return found;
    }

    void copy(long partition, PartitionContents copied) {
        List<BatchableStatement<?>> timestamped = new ArrayList<>();
        List<BatchableStatement<?>> unversioned = new ArrayList<>();
        for (StoredRangeDelete delete : copied.rangeDeletes()) {
            timestamped.add(writes.rangeDelete(partition, delete.range(), delete.version()));
            queries.await(
                    queries.ask(
                            (com.datastax.oss.driver.api.core.cql.Statement<?>)
                                    writes.rangeDeleteNote(
                                            partition, delete.range(), delete.version())));
        }
        for (StoredRow row : copied.rows()) {
            byte[] value = row.value();
            if (value == null) {
                timestamped.add(writes.versionedDelete(partition, row.key(), row.stamp()));
            } else if (row.versioned()) {
                timestamped.add(writes.versionedPut(partition, row.key(), value, row.stamp()));
            } else {
                unversioned.add(writes.put(partition, row.key(), value));
            }
        }
        if (!timestamped.isEmpty()) {
            queries.await(queries.ask(PartitionWrites.timestamped(timestamped)));
        }
        if (!unversioned.isEmpty()) {
            queries.await(writes.inState(partition, PartitionState.NEW, unversioned));
        }
    }
}
