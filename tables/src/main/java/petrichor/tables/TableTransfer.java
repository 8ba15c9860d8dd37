package petrichor.tables;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bytes in which tables, rows and values are passed to another process of the same version of
 * this software. Bytes that were not written by this class are INTERNAL.
 */
public final class TableTransfer {
    private TableTransfer() {}

    public static byte[] encode(StoredTable table) {
        return CatalogCodec.encode(new CatalogObject(table.id(), 0, "", 0, table));
    }

    public static StoredTable decode(byte[] bytes) {
        StoredTable table = CatalogCodec.decode(0, bytes).table();
        if (table == null) {
            throw new IllegalArgumentException("not the bytes of a table");
        }
        return table;
    }

    /** A value alone; see {@link DataType} for its class. */
    public static byte[] encodeValue(@Nullable Object value) {
        return new ValueWriter(16).putValue(value).toBytes();
    }

    public static byte[] encodeValues(@Nullable Object[] values) {
        ValueWriter out = new ValueWriter(16 * values.length + 1);
        for (Object value : values) {
            out.putValue(value);
        }
        return out.toBytes();
    }

    /** The values of {@link #encodeValues}, one per type. */
    public static @Nullable Object[] decodeValues(byte[] bytes, List<ColumnType> types) {
        ValueReader in = new ValueReader(bytes);
        @Nullable Object[] values = new @Nullable Object[types.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = in.takeValue(types.get(i));
        }
        return values;
    }

    /** A row's value in the store, from the values of its columns. */
    public static byte[] encodeRow(TableFormat format, @Nullable Object[] values) {
        return format.encode(values);
    }

    /** The values of a row's columns, from its value in the store. */
    public static @Nullable Object[] decodeRow(TableFormat format, byte[] stored) {
        return format.decode(stored);
    }

    /** The same, value by value, for a row that is a part of the bytes. */
    public static void decodeRow(
            TableFormat format, byte[] bytes, int from, int to, RowSink values) {
        format.decode(bytes, from, to, values);
    }
}
