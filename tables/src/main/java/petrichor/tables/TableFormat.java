package petrichor.tables;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.OrderedWriter;
import petrichor.kv.KeyRange;

/**
 * Encodes and decodes the rows and index entries of one table. Immutable.
 *
 * <p>A row's value is a format byte, the number of columns, and for each column its id and value.
 * An index entry's key consists of the indexed columns, followed by the key of the row unless the
 * index is unique and no column is NULL; its value records where the row's key is.
 */
public final class TableFormat {
    private static final int FORMAT = 1;
    private static final int NULL_TAG = 0xFE;
    private static final long HASH_FACTOR = 0x9E3779B97F4A7C15L;

    private final StoredTable table;
    private final byte[] rowPrefix;

    public TableFormat(StoredTable table) {
        this.table = table;
        this.rowPrefix = TableKeys.of(table.id(), TableKeys.ROWS).toBytes();
    }

    public StoredTable table() {
        return table;
    }

    /** Every row, without index entries. */
    public KeyRange rows() {
        return KeyRange.ofPrefix(rowPrefix);
    }

    public KeyRange entries(StoredIndex index) {
        return KeyRange.ofPrefix(TableKeys.of(table.id(), index.id()).toBytes());
    }

    /** The key of a row of a table with a primary key. */
    public byte[] rowKey(@Nullable Object[] values) {
        OrderedWriter key = new OrderedWriter(48).putEncoded(rowPrefix);
        putParts(key, table.primaryKey(), values);
        return key.toBytes();
    }

    /** The key of a row of a table without a primary key. */
    public byte[] rowKey(long number) {
        return new OrderedWriter(20)
                .putEncoded(rowPrefix)
                .putLong(number ^ Long.MIN_VALUE)
                .toBytes();
    }

    /**
     * Of a row of a table without a primary key, its number; otherwise a hash of the key in which
     * collisions are not expected.
     */
    public long rowNumber(byte[] key) {
        long number = 0;
        if (table.hasRowNumbers()) {
            for (int i = TableKeys.PREFIX_BYTES; i < key.length; i++) {
                number = (number << 8) | (key[i] & 0xFF);
            }
            return number ^ Long.MIN_VALUE;
        }
        for (int i = TableKeys.PREFIX_BYTES; i < key.length; i++) {
            number = (number ^ (key[i] & 0xFF)) * HASH_FACTOR;
            number ^= number >>> 32;
        }
        return number;
    }

    private void putParts(
            OrderedWriter key, List<StoredIndex.Part> parts, @Nullable Object[] values) {
        for (StoredIndex.Part part : parts) {
            int position = table.position(part.column());
            DataType type = table.columns().get(position).type().type();
            KeyEncoding.put(key, values[position], type, part.descending());
        }
    }

    private boolean hasNull(StoredIndex index, @Nullable Object[] values) {
        for (StoredIndex.Part part : index.parts()) {
            if (values[table.position(part.column())] == null) {
                return true;
            }
        }
        return false;
    }

    /** Whether a second row with the same indexed values is refused. */
    boolean excludes(StoredIndex index, @Nullable Object[] values) {
        return index.unique() && !hasNull(index, values);
    }

    byte[] entryKey(StoredIndex index, @Nullable Object[] values, byte[] rowKey) {
        OrderedWriter key = TableKeys.of(table.id(), index.id());
        putParts(key, index.parts(), values);
        if (!excludes(index, values)) {
            key.putEncoded(rowKey, TableKeys.PREFIX_BYTES, rowKey.length);
        }
        return key.toBytes();
    }

    /** Length of the row's key in the entry's key, or 0 and the row's key. */
    byte[] entryValue(StoredIndex index, @Nullable Object[] values, byte[] rowKey) {
        int length = rowKey.length - TableKeys.PREFIX_BYTES;
        if (excludes(index, values)) {
            byte[] value = new byte[1 + length];
            System.arraycopy(rowKey, TableKeys.PREFIX_BYTES, value, 1, length);
            return value;
        }
        return new ValueWriter(2).putNumber(length).toBytes();
    }

    byte[] rowKeyOf(byte[] entryKey, byte[] entryValue) {
        int length = (int) new ValueReader(entryValue).takeNumber();
        return length == 0
                ? Bytes.concat(rowPrefix, Arrays.copyOfRange(entryValue, 1, entryValue.length))
                : Bytes.concat(
                        rowPrefix,
                        Arrays.copyOfRange(entryKey, entryKey.length - length, entryKey.length));
    }

    /**
     * The key range of an index, or of the primary key, between two bounds; a range of one key if
     * at most one row can be in it.
     *
     * @param index null for the primary key
     * @param from values of the first columns of the index, inclusive; may be empty
     * @param to values of the first columns of the index, inclusive; may be empty
     */
    public KeyRange range(
            @Nullable StoredIndex index, List<@Nullable Object> from, List<@Nullable Object> to) {
        List<StoredIndex.Part> parts = index == null ? table.primaryKey() : index.parts();
        int number = index == null ? TableKeys.ROWS : index.id();
        byte[] first = bound(number, parts, from).toBytes();
        boolean unique = index == null || index.unique();
        if (unique && from.equals(to) && hasAll(parts, from)) {
            return KeyRange.ofKey(first);
        }
        OrderedWriter last = bound(number, parts, to);
        byte[] end;
        int next = to.size();
        boolean onlyValues =
                from.size() > next && from.get(next) != null && !parts.get(next).descending();
        if (onlyValues) {
            // A column that is at least some value is not NULL.
            end = last.put(NULL_TAG).toBytes();
        } else {
            end = Bytes.afterPrefix(last.toBytes());
        }
        return end == null || Bytes.compare(first, end) <= 0
                ? new KeyRange(first, end)
                : new KeyRange(first, first);
    }

    private static boolean hasAll(List<StoredIndex.Part> parts, List<@Nullable Object> values) {
        for (Object value : values) {
            if (value == null) {
                return false;
            }
        }
        return !parts.isEmpty() && values.size() == parts.size();
    }

    private OrderedWriter bound(
            int number, List<StoredIndex.Part> parts, List<@Nullable Object> values) {
        OrderedWriter key = TableKeys.of(table.id(), number);
        for (int i = 0; i < values.size(); i++) {
            StoredIndex.Part part = parts.get(i);
            DataType type = table.columns().get(table.position(part.column())).type().type();
            KeyEncoding.put(key, values.get(i), type, part.descending());
        }
        return key;
    }

    byte[] encode(@Nullable Object[] values) {
        List<StoredColumn> columns = table.columns();
        ValueWriter out = new ValueWriter(64);
        out.put(FORMAT).putNumber(columns.size());
        for (int i = 0; i < columns.size(); i++) {
            out.putNumber(columns.get(i).id()).putValue(values[i]);
        }
        return out.toBytes();
    }

    @Nullable Object[] decode(byte[] value) {
        List<StoredColumn> columns = table.columns();
        ValueReader in = new ValueReader(value);
        int format = in.take();
        if (format != FORMAT) {
            throw in.damaged("it has format " + format);
        }
        int count = in.takeCount();
        @Nullable Object[] values = new @Nullable Object[columns.size()];
        int filled = 0;
        for (int i = 0; i < count; i++) {
            int id = in.takeInt();
            // Columns are usually stored in the order of the table.
            int position = i < columns.size() && columns.get(i).id() == id ? i : table.position(id);
            if (position < 0) {
                in.takeValue(ColumnType.UNKNOWN);
            } else {
                values[position] = in.takeValue(columns.get(position).type());
                filled++;
            }
        }
        if (filled < columns.size()) {
            fillMissing(value, values);
        }
        return values;
    }

    /** Passes the values of a row on, which is a part of the bytes. */
    void decode(byte[] bytes, int from, int to, RowSink sink) {
        List<StoredColumn> columns = table.columns();
        ValueReader in = new ValueReader(bytes, from, to);
        int format = in.take();
        if (format != FORMAT) {
            throw in.damaged("it has format " + format);
        }
        int count = in.takeCount();
        int filled = 0;
        for (int i = 0; i < count; i++) {
            int id = in.takeInt();
            int position = i < columns.size() && columns.get(i).id() == id ? i : table.position(id);
            if (position < 0) {
                in.takeValue(ColumnType.UNKNOWN);
            } else {
                in.takeValue(position, columns.get(position).type(), sink);
                filled++;
            }
        }
        if (filled < columns.size()) {
            boolean[] present = present(Arrays.copyOfRange(bytes, from, to));
            for (int i = 0; i < present.length; i++) {
                if (!present[i]) {
                    Object missing = columns.get(i).missing();
                    if (missing == null) {
                        sink.nullValue(i);
                    } else {
                        sink.value(i, missing);
                    }
                }
            }
        }
    }

    /** Columns that were added after the row was written. */
    private void fillMissing(byte[] value, @Nullable Object[] values) {
        boolean[] present = present(value);
        for (int i = 0; i < values.length; i++) {
            if (!present[i]) {
                values[i] = table.columns().get(i).missing();
            }
        }
    }

    /** Whether a row has the column, by position. */
    private boolean[] present(byte[] value) {
        ValueReader in = new ValueReader(value);
        in.take();
        int count = in.takeCount();
        boolean[] present = new boolean[table.columns().size()];
        for (int i = 0; i < count; i++) {
            int position = table.position(in.takeInt());
            in.takeValue(ColumnType.UNKNOWN);
            if (position >= 0) {
                present[position] = true;
            }
        }
        return present;
    }
}
