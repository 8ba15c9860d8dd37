package petrichor.tables;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The binary form of catalog objects. */
final class CatalogCodec {
    private static final int FORMAT = 1;

    private CatalogCodec() {}

    static byte[] encode(CatalogObject object) {
        ValueWriter out = new ValueWriter(256);
        out.put(FORMAT).putNumber(object.order()).putText(object.definition());
        out.putNumber(object.sequence());
        StoredTable table = object.table();
        out.put(table == null ? 0 : 1);
        if (table != null) {
            putTable(out, table);
        }
        return out.toBytes();
    }

    private static void putTable(ValueWriter out, StoredTable table) {
        out.putNumber(table.id()).putText(table.schema()).putText(table.name());
        out.putNumber(table.nextColumn());
        out.putNumber(table.columns().size());
        for (StoredColumn column : table.columns()) {
            out.putNumber(column.id()).putText(column.name()).put(column.nullable() ? 1 : 0);
            putType(out, column.type());
            out.putValue(column.missing());
        }
        putParts(out, table.primaryKey());
        out.putNumber(table.indexes().size());
        for (StoredIndex index : table.indexes()) {
            out.putNumber(index.id()).putText(index.name()).put(index.unique() ? 1 : 0);
            out.putText(index.state().name());
            putParts(out, index.parts());
        }
    }

    private static void putType(ValueWriter out, ColumnType type) {
        out.putText(type.type().name()).putSigned(type.length()).putSigned(type.scale());
        ColumnType element = type.element();
        out.put(element == null ? 0 : 1);
        if (element != null) {
            putType(out, element);
        }
    }

    private static void putParts(ValueWriter out, List<StoredIndex.Part> parts) {
        out.putNumber(parts.size());
        for (StoredIndex.Part part : parts) {
            out.putNumber(part.column()).put(part.descending() ? 1 : 0);
        }
    }

    static CatalogObject decode(int id, byte[] bytes) {
        ValueReader in = new ValueReader(bytes);
        int format = in.take();
        if (format != FORMAT) {
            throw in.damaged("the catalog has format " + format);
        }
        int order = in.takeInt();
        String definition = in.takeText();
        long sequence = in.takeNumber();
        @Nullable StoredTable table = in.take() == 0 ? null : takeTable(in);
        return new CatalogObject(id, order, definition, sequence, table);
    }

    private static StoredTable takeTable(ValueReader in) {
        int id = in.takeInt();
        String schema = in.takeText();
        String name = in.takeText();
        int nextColumn = in.takeInt();
        int count = in.takeCount();
        List<StoredColumn> columns = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int columnId = in.takeInt();
            String columnName = in.takeText();
            boolean nullable = in.take() == 1;
            ColumnType type = takeType(in);
            columns.add(new StoredColumn(columnId, columnName, type, nullable, in.takeValue(type)));
        }
        List<StoredIndex.Part> primaryKey = takeParts(in);
        int indexCount = in.takeCount();
        List<StoredIndex> indexes = new ArrayList<>(indexCount);
        for (int i = 0; i < indexCount; i++) {
            int indexId = in.takeInt();
            String indexName = in.takeText();
            boolean unique = in.take() == 1;
            StoredIndex.State state = StoredIndex.State.valueOf(in.takeText());
            indexes.add(new StoredIndex(indexId, indexName, unique, state, takeParts(in)));
        }
        return new StoredTable(id, schema, name, columns, primaryKey, indexes, nextColumn);
    }

    private static ColumnType takeType(ValueReader in) {
        DataType type = DataType.valueOf(in.takeText());
        int length = (int) in.takeSigned();
        int scale = (int) in.takeSigned();
        ColumnType element = in.take() == 0 ? null : takeType(in);
        return new ColumnType(type, length, scale, element);
    }

    private static List<StoredIndex.Part> takeParts(ValueReader in) {
        int count = in.takeCount();
        List<StoredIndex.Part> parts = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            parts.add(new StoredIndex.Part(in.takeInt(), in.take() == 1));
        }
        return parts;
    }
}
