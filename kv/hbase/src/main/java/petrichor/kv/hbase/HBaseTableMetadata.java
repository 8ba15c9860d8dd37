package petrichor.kv.hbase;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.jspecify.annotations.Nullable;
import petrichor.kv.DeletedRanges;
import petrichor.kv.KeyRange;
import petrichor.kv.RangeDeletions;

/** Metadata rows of a table, stored before all others: its range deletions. Thread-safe. */
final class HBaseTableMetadata {
    private final HBaseConnection connection;
    private final String table;
    private final RangeDeletions deletions = new RangeDeletions(new Records());

    HBaseTableMetadata(HBaseConnection connection, String table) {
        this.connection = connection;
        this.table = table;
    }

    DeletedRanges deletedRanges() {
        return deletions.ranges();
    }

    /** Rows in the range must have at least this timestamp from now on. */
    void deleteRange(KeyRange range, long timestamp, int number) {
        deletions.delete(range, timestamp, number);
    }

    /** Whether the row exists: deleted neither by itself nor with a range. */
    boolean counts(Cell cell, byte[] key) {
        return !StoredRow.isTombstone(cell) && cell.getTimestamp() >= deletedRanges().at(key);
    }

    /** The value in the result of a {@link StoredRow#get}. */
    byte @Nullable [] value(Result answer, byte[] key) {
        Cell cell = StoredRow.cell(answer);
        return cell != null && counts(cell, key) ? StoredRow.value(cell) : null;
    }

    /** Range deletions as metadata rows. */
    private final class Records implements RangeDeletions.Records {
        @Override
        public void read(BiConsumer<byte[], KeyRange> reader) {
            KeyRange ids = RangeDeletions.ids();
            Scan scan =
                    new Scan()
                            .withStartRow(StoredRow.note(ids.from()))
                            .withStopRow(StoredRow.note(requireNonNull(ids.to())))
                            .addColumn(StoredRow.FAMILY, StoredRow.COLUMN)
                            .setReadType(Scan.ReadType.PREAD);
            List<Result> rows = connection.await(connection.table(table).scanAll(scan), table);
            for (Result row : rows) {
                Cell cell = row.rawCells()[0];
                byte[] value = StoredRow.value(cell);
                if (value != null) {
                    reader.accept(StoredRow.key(cell), range(value));
                }
            }
        }

        @Override
        public void write(byte[] id, KeyRange range, long timestamp) {
            Put put = StoredRow.note(id, timestamp, bytes(range));
            connection.await(connection.table(table).put(put), table);
        }

        @Override
        public void remove(byte[] id, long timestamp) {
            Delete delete =
                    new Delete(StoredRow.note(id))
                            .addColumns(StoredRow.FAMILY, StoredRow.COLUMN, timestamp);
            connection.await(connection.table(table).delete(delete), table);
        }
    }

    private static byte[] bytes(KeyRange range) {
        byte[] from = range.from();
        byte[] to = range.to();
        return ByteBuffer.allocate(1 + Integer.BYTES + from.length + (to == null ? 0 : to.length))
                .put((byte) (to == null ? 0 : 1))
                .putInt(from.length)
                .put(from)
                .put(to == null ? new byte[0] : to)
                .array();
    }

    private static KeyRange range(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        boolean ends = buffer.get() == 1;
        byte[] from = new byte[buffer.getInt()];
        buffer.get(from);
        byte[] to = new byte[buffer.remaining()];
        buffer.get(to);
        return new KeyRange(from, ends ? to : null);
    }
}
