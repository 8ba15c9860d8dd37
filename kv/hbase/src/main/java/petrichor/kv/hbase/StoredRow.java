package petrichor.kv.hbase;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.filter.BinaryPrefixComparator;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * The encoding of a row in HBase: one cell. Its HBase row is the key after one byte (HBase has no
 * empty keys, and the other first byte marks the table's own notes), its timestamp is the version,
 * and its value starts with a type byte.
 *
 * <p>The newest timestamp wins, and of two equal ones the later write: exactly what {@code
 * putIfNewer} promises, without a condition and without reading. HBase's own deletes would violate
 * it: they win over a later put of the same timestamp, and the next major compaction drops them, so
 * that a late older put would restore the row. So a deletion is a cell like any other, a
 * <em>tombstone</em>, which scans filter on the server, and which {@link TombstoneSweep} removes
 * when no late write is possible any more.
 */
final class StoredRow {
    static final byte[] FAMILY = "d".getBytes(StandardCharsets.US_ASCII);
    static final byte[] COLUMN = "v".getBytes(StandardCharsets.US_ASCII);

    /** HBase's longest row has 32,767 bytes; its region catalogue adds names to it. */
    static final int KEY_BYTES_MAX = 32_000;

    /**
     * A server accepts cells up to 10 MiB (hbase.server.keyvalue.maxsize), including their
     * overhead.
     */
    static final int VALUE_BYTES_MAX = 8 << 20;

    /**
     * The timestamp of version 0. Lower ones are unversioned rows, whose timestamps are
     * microseconds of a writer's clock: a versioned change of any version replaces them.
     */
    private static final long VERSION_ZERO = 1L << 61;

    static final int MARK_BYTES = 16;

    private static final byte NOTES = 0;
    private static final byte ROWS = 1;
    private static final byte AFTER_ROWS = 2;

    private static final byte TOMBSTONE = 0;
    private static final byte VALUE = 1;
    private static final byte MARKED_VALUE = 2;

    private static final byte[] TOMBSTONE_START = {TOMBSTONE};
    private static final int TOMBSTONE_BYTES = 1 + Long.BYTES;

    private StoredRow() {}

    static long timestamp(long version) {
        if (version < 0 || version >= VERSION_ZERO) {
            throw new IllegalArgumentException("a version is 0 to 2^61 - 1, not " + version);
        }
        return VERSION_ZERO + version;
    }

    static byte[] row(byte[] key) {
        return behind(ROWS, key);
    }

    /** The end of a table's rows, in HBase's order. */
    static byte[] afterRows() {
        return new byte[] {AFTER_ROWS};
    }

    static byte[] note(byte[] key) {
        return behind(NOTES, key);
    }

    static Put note(byte[] key, long timestamp, byte[] value) {
        return of(note(key), timestamp, behind(VALUE, value));
    }

    private static byte[] behind(byte first, byte[] key) {
        byte[] row = new byte[key.length + 1];
        row[0] = first;
        System.arraycopy(key, 0, row, 1, key.length);
        return row;
    }

    static byte[] key(Cell cell) {
        int from = cell.getRowOffset();
        return Arrays.copyOfRange(cell.getRowArray(), from + 1, from + cell.getRowLength());
    }

    /** The only cell of a row read with {@link #COLUMN}. */
    static @Nullable Cell cell(Result row) {
        return row.isEmpty() ? null : row.rawCells()[0];
    }

    static boolean isTombstone(Cell cell) {
        return cell.getValueArray()[cell.getValueOffset()] == TOMBSTONE;
    }

    static byte @Nullable [] value(Cell cell) {
        int from = cell.getValueOffset();
        int end = from + cell.getValueLength();
        byte[] array = cell.getValueArray();
        return switch (array[from]) {
            case TOMBSTONE -> null;
            case VALUE -> Arrays.copyOfRange(array, from + 1, end);
            case MARKED_VALUE -> Arrays.copyOfRange(array, from + 1 + MARK_BYTES, end);
            default ->
                    throw new IllegalStateException(
                            "the cell of row "
                                    + Bytes.of(key(cell))
                                    + " starts with "
                                    + array[from]
                                    + ", which this version does not support");
        };
    }

    /** Whether the value was put with this mark. */
    static boolean isMarked(Cell cell, byte[] mark) {
        int from = cell.getValueOffset();
        return cell.getValueArray()[from] == MARKED_VALUE
                && Arrays.equals(
                        cell.getValueArray(), from + 1, from + 1 + MARK_BYTES, mark, 0, MARK_BYTES);
    }

    static Put put(byte[] key, long timestamp, byte[] value) {
        return of(row(key), timestamp, behind(VALUE, value));
    }

    /** A put whose writer can recognize it: determines which of two attempts wrote a row. */
    static Put markedPut(byte[] key, long timestamp, byte[] mark, byte[] value) {
        return of(row(key), timestamp, Bytes.concat(new byte[] {MARKED_VALUE}, mark, value));
    }

    /**
     * @param writtenAt from which {@link TombstoneSweep} derives when it is no longer needed
     */
    static Put tombstone(byte[] key, long timestamp, Instant writtenAt) {
        return of(
                row(key),
                timestamp,
                ByteBuffer.allocate(TOMBSTONE_BYTES)
                        .put(TOMBSTONE)
                        .putLong(writtenAt.toEpochMilli())
                        .array());
    }

    static Instant tombstoneWrittenAt(Cell tombstone) {
        return Instant.ofEpochMilli(
                ByteBuffer.wrap(tombstone.getValueArray()).getLong(tombstone.getValueOffset() + 1));
    }

    /** HBase's own delete, of this timestamp and older ones. */
    static Delete removal(byte[] key, long timestamp) {
        return new Delete(row(key))
                .addColumns(FAMILY, COLUMN, timestamp)
                .setDurability(Durability.FSYNC_WAL);
    }

    static Get get(byte[] key) {
        return new Get(row(key)).addColumn(FAMILY, COLUMN);
    }

    static Get getNote(byte[] key) {
        return new Get(note(key)).addColumn(FAMILY, COLUMN);
    }

    /** Reads no value. */
    static Get getTimestamp(byte[] key) {
        return get(key).setFilter(new KeyOnlyFilter(true));
    }

    static long timestamp(Put put) {
        return put.getFamilyCellMap().firstEntry().getValue().getFirst().getTimestamp();
    }

    /** Synced before it is acknowledged, regardless of the settings of server and table. */
    private static Put of(byte[] row, long timestamp, byte[] stored) {
        return new Put(row)
                .addColumn(FAMILY, COLUMN, timestamp, stored)
                .setDurability(Durability.FSYNC_WAL);
    }

    /** Avoids sending values. */
    static Filter keysWithoutTombstones() {
        return new FilterList(withoutTombstones(), new KeyOnlyFilter(true));
    }

    /** HBase filters after it has dropped older versions: no tombstone uncovers one. */
    static Filter withoutTombstones() {
        return new ValueFilter(
                CompareOperator.NOT_EQUAL, new BinaryPrefixComparator(TOMBSTONE_START));
    }

    static Filter tombstonesOnly() {
        return new ValueFilter(CompareOperator.EQUAL, new BinaryPrefixComparator(TOMBSTONE_START));
    }
}
