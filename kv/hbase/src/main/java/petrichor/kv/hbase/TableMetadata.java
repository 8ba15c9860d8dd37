package petrichor.kv.hbase;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.DeletedRanges;
import petrichor.kv.KeyRange;

/**
 * Metadata rows of a table, stored before all others: its {@link DeletedRanges}. Readers cache them
 * and read them again when they are {@link #AGE_MAX} old; so another process may see a late older
 * row in a range that was deleted less than that before.
 *
 * <p>Thread-safe.
 */
final class TableMetadata {
    static final Duration AGE_MAX = Duration.ofSeconds(1);

    private static final byte RANGE = 'r';

    /** Followed by notes of others, such as {@link TombstoneSweep}'s. */
    private static final byte[] AFTER_RANGES = {RANGE + 1};

    private static final int RANGE_KEY_BYTES = 1 + Long.BYTES + Integer.BYTES;

    private record Known(DeletedRanges ranges, long readAtNanos) {}

    private final HBaseConnection connection;
    private final String table;
    private volatile @Nullable Known known;

    /** The known notes, by row, with their ranges; guarded by this. */
    private final Map<Bytes, KeyRange> notes = new HashMap<>();

    TableMetadata(HBaseConnection connection, String table) {
        this.connection = connection;
        this.table = table;
    }

    /** The deleted ranges, at most {@link #AGE_MAX} old. */
    DeletedRanges deletedRanges() {
        Known fresh = fresh();
        return fresh == null ? read() : fresh.ranges;
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

    private @Nullable Known fresh() {
        Known now = known;
        return now == null || System.nanoTime() - now.readAtNanos > AGE_MAX.toNanos() ? null : now;
    }

    private synchronized DeletedRanges read() {
        Known fresh = fresh();
        if (fresh != null) {
            return fresh.ranges;
        }
        long now = System.nanoTime();
        List<Result> rows =
                connection.await(
                        connection
                                .table(table)
                                .scanAll(
                                        new Scan()
                                                .withStartRow(StoredRow.note(new byte[] {RANGE}))
                                                .withStopRow(StoredRow.note(AFTER_RANGES))
                                                .addColumn(StoredRow.FAMILY, StoredRow.COLUMN)
                                                .setReadType(Scan.ReadType.PREAD)),
                        table);
        notes.clear();
        DeletedRanges ranges = DeletedRanges.EMPTY;
        for (Result row : rows) {
            Cell cell = row.rawCells()[0];
            byte[] value = StoredRow.value(cell);
            if (value != null) {
                KeyRange range = range(value);
                notes.put(Bytes.of(StoredRow.key(cell)), range);
                ranges = ranges.with(range, cell.getTimestamp());
            }
        }
        known = new Known(ranges, now);
        return ranges;
    }

    /**
     * From now on rows in the range must have at least this timestamp.
     *
     * @param number distinguishes the ranges of one version
     */
    synchronized void deleteRange(KeyRange range, long timestamp, int number) {
        DeletedRanges before = deletedRanges();
        if (before.covers(range, timestamp)) {
            return;
        }
        byte[] key =
                ByteBuffer.allocate(RANGE_KEY_BYTES)
                        .put(RANGE)
                        .putLong(timestamp)
                        .putInt(number)
                        .array();
        Put note = StoredRow.note(key, timestamp, bytes(range));
        connection.await(connection.table(table).put(note), table);
        long readAt = known == null ? System.nanoTime() : known.readAtNanos;
        known = new Known(before.with(range, timestamp), readAt);
        forgetWhatIsCovered(range, timestamp);
        notes.put(Bytes.of(key), range);
    }

    /** Otherwise history, which is dropped hour by hour, would leave a note for each hour. */
    private void forgetWhatIsCovered(KeyRange range, long timestamp) {
        DeletedRanges one = DeletedRanges.EMPTY.with(range, timestamp);
        notes.entrySet()
                .removeIf(
                        note -> {
                            long noted = ByteBuffer.wrap(note.getKey().array()).getLong(1);
                            boolean covered = one.covers(note.getValue(), noted);
                            if (covered) {
                                Delete delete =
                                        new Delete(StoredRow.note(note.getKey().array()))
                                                .addColumns(
                                                        StoredRow.FAMILY, StoredRow.COLUMN, noted);
                                connection.await(connection.table(table).delete(delete), table);
                            }
                            return covered;
                        });
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
