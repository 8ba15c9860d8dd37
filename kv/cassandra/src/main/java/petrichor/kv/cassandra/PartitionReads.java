package petrichor.kv.cassandra;

import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.ranges.PartitionState;
import petrichor.kv.ranges.PartitionedRows;

/**
 * Reads of one partition. Its state is a static column, which comes with every row at no cost; only
 * if no row exists must it be read separately, after the absence was found.
 */
final class PartitionReads {
    // Column positions in every result: looking them up by name each time is slower.
    private static final int VALUE = 0;
    private static final int STATE = 1;
    private static final int KEY = 2;

    private final Queries queries;
    private final PreparedStatement one;
    private final PreparedStatement many;
    private final PreparedStatement oneSerial;
    private final PreparedStatement state;
    private final PreparedStatement stateSerial;
    private final PreparedStatement keys;
    private final PreparedStatement forward;
    private final PreparedStatement forwardToEnd;
    private final PreparedStatement reverse;
    private final PreparedStatement reverseFromEnd;

    PartitionReads(Queries queries) {
        this.queries = queries;
        String row = "SELECT value, state FROM $.rows WHERE part = ? AND kind = 1 AND key = ?";
        this.one = queries.read(row);
        this.oneSerial = queries.readLinearizably(row);
        this.many =
                queries.read(
                        "SELECT value, state, key FROM $.rows WHERE part = ? AND kind = 1 AND key"
                                + " IN ?");
        String mark = "SELECT value, state FROM $.rows WHERE part = ? AND kind = 0 AND key = 0x";
        this.state = queries.read(mark);
        this.stateSerial = queries.readLinearizably(mark);
        this.keys =
                queries.read(
                        "SELECT key FROM $.rows WHERE part = ? AND kind = 1 AND key >= ? LIMIT ?");
        String page = "SELECT value, state, key FROM $.rows WHERE part = ? AND kind = 1";
        String backwards = " ORDER BY kind DESC, key DESC";
        this.forward = queries.read(page + " AND key >= ? AND key < ? LIMIT ?");
        this.forwardToEnd = queries.read(page + " AND key >= ? LIMIT ?");
        this.reverse = queries.read(page + " AND key >= ? AND key < ?" + backwards + " LIMIT ?");
        this.reverseFromEnd = queries.read(page + " AND key >= ?" + backwards + " LIMIT ?");
    }

    CompletableFuture<PartitionedRows.Values> read(long partition, List<byte[]> wanted) {
        return wanted.size() == 1
                ? one(one, state, partition, wanted.getFirst())
                : many(partition, wanted);
    }

    CompletableFuture<PartitionedRows.Values> readSerially(long partition, byte[] key) {
        return one(oneSerial, stateSerial, partition, key);
    }

    private CompletableFuture<PartitionedRows.Values> one(
            PreparedStatement row, PreparedStatement mark, long partition, byte[] key) {
        return queries.ask(row.bind(partition, ByteBuffer.wrap(key)))
                .thenCompose(
                        answer -> {
                            Row found = answer.one();
                            return found == null
                                    ? nothing(mark, partition, 1)
                                    : CompletableFuture.completedFuture(
                                            new PartitionedRows.Values(
                                                    stateOf(found), one(value(found))));
                        });
    }

    private CompletableFuture<PartitionedRows.Values> nothing(
            PreparedStatement mark, long partition, int wanted) {
        return state(mark, partition)
                .thenApply(its -> new PartitionedRows.Values(its, values(new byte[wanted][])));
    }

    private CompletableFuture<PartitionedRows.Values> many(long partition, List<byte[]> wanted) {
        List<ByteBuffer> in = wanted.stream().map(ByteBuffer::wrap).distinct().toList();
        return queries.ask(many.bind(partition, in))
                .thenCompose(
                        answer -> {
                            Map<Bytes, byte @Nullable []> found = new HashMap<>();
                            PartitionState its = null;
                            for (Row row : answer.currentPage()) {
                                its = stateOf(row);
                                found.put(Bytes.of(key(row)), value(row));
                            }
                            if (its == null) {
                                return nothing(state, partition, wanted.size());
                            }
                            byte[] @Nullable [] values = new byte[wanted.size()][];
                            for (int at = 0; at < values.length; at++) {
                                values[at] = found.get(Bytes.of(wanted.get(at)));
                            }
                            return CompletableFuture.completedFuture(
                                    new PartitionedRows.Values(its, values(values)));
                        });
    }

    private static List<byte @Nullable []> one(byte @Nullable [] value) {
        byte[] @Nullable [] values = {value};
        return values(values);
    }

    private static List<byte @Nullable []> values(byte[] @Nullable [] values) {
        return java.util.Arrays.asList(values);
    }

    CompletableFuture<PartitionState> state(long partition) {
        return state(state, partition);
    }

    private CompletableFuture<PartitionState> state(PreparedStatement mark, long partition) {
        return queries.ask(mark.bind(partition))
                .thenApply(
                        answer -> {
                            Row row = answer.one();
                            return row == null ? PartitionState.GONE : stateOf(row);
                        });
    }

    CompletableFuture<PartitionedRows.Page> page(
            long partition, KeyRange range, Direction direction, int rowsMax) {
        return queries.ask(pageOf(partition, range, direction, rowsMax))
                .thenCompose(answer -> page(partition, direction, rowsMax, answer));
    }

    private BoundStatement pageOf(
            long partition, KeyRange range, Direction direction, int rowsMax) {
        ByteBuffer from = ByteBuffer.wrap(range.from());
        byte[] to = range.to();
        return switch (direction) {
            case FORWARD ->
                    to == null
                            ? forwardToEnd.bind(partition, from, rowsMax)
                            : forward.bind(partition, from, ByteBuffer.wrap(to), rowsMax);
            case REVERSE ->
                    to == null
                            ? reverseFromEnd.bind(partition, from, rowsMax)
                            : reverse.bind(partition, from, ByteBuffer.wrap(to), rowsMax);
        };
    }

    private CompletableFuture<PartitionedRows.Page> page(
            long partition, Direction direction, int rowsMax, AsyncResultSet answer) {
        List<PartitionedRows.Row> rows = new ArrayList<>();
        PartitionState its = null;
        int seen = 0;
        byte[] last = {};
        for (Row row : answer.currentPage()) {
            its = stateOf(row);
            seen++;
            last = key(row);
            byte[] value = value(row);
            if (value != null) {
                rows.add(new PartitionedRows.Row(last, value));
            }
        }
        if (its == null) {
            return state(partition)
                    .thenApply(now -> new PartitionedRows.Page(now, List.of(), null));
        }
        byte @Nullable [] resume =
                seen < rowsMax
                        ? null
                        : switch (direction) {
                            case FORWARD -> Bytes.successor(last);
                            case REVERSE -> last;
                        };
        return CompletableFuture.completedFuture(new PartitionedRows.Page(its, rows, resume));
    }

    CompletableFuture<List<byte[]>> keys(long partition, byte[] from, int keysMax) {
        return queries.ask(keys.bind(partition, ByteBuffer.wrap(from), keysMax))
                .thenApply(
                        answer ->
                                Queries.rows(answer).stream()
                                        .map(row -> Objects.requireNonNull(row.getByteBuffer(0)))
                                        .map(StoredValue::bytes)
                                        .toList());
    }

    private static byte[] key(Row row) {
        return StoredValue.bytes(Objects.requireNonNull(row.getByteBuffer(KEY)));
    }

    private static byte @Nullable [] value(Row row) {
        return StoredValue.value(Objects.requireNonNull(row.getByteBuffer(VALUE)));
    }

    private static PartitionState stateOf(Row row) {
        return row.isNull(STATE) ? PartitionState.GONE : States.of(row.getInt(STATE));
    }
}
