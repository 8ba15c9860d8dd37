package petrichor.analytics;

import com.google.datastore.v1.Key;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.entities.RowLayout;
import petrichor.kv.KeyRange;
import petrichor.sql.entities.EntityColumns;
import petrichor.sql.entities.KindColumns;
import petrichor.sql.entities.Kinds;
import petrichor.sql.entities.PropertyType;
import petrichor.tables.StoredColumn;
import petrichor.tables.StoredTable;
import petrichor.tables.TableFormat;
import petrichor.tables.TableTransfer;

/**
 * What a segment is a copy of: a table, or the entities of a kind. Immutable.
 *
 * @param table with the names and types of the columns; of a kind, one that is not in the catalog
 * @param kind null for a table
 */
public record SegmentSource(StoredTable table, @Nullable EntityColumns kind) {
    /** Bytes of a table's key before the part that differs within the table. */
    private static final int TABLE_PREFIX_BYTES = 9;

    static SegmentSource of(StoredTable table) {
        return new SegmentSource(table, null);
    }

    /** DuckDB's names are the same in any case: further columns of a name have a number. */
    static SegmentSource of(EntityColumns kind) {
        Set<String> names = new HashSet<>();
        List<StoredColumn> columns = new ArrayList<>();
        for (StoredColumn column : kind.columns()) {
            String name = column.name();
            for (int i = 2; !names.add(name.toLowerCase(Locale.ROOT)); i++) {
                name = column.name() + "_" + i;
            }
            columns.add(new StoredColumn(column.id(), name, column.type(), true, null));
        }
        String schema = Kinds.schema(kind.home().getNamespaceId());
        return new SegmentSource(
                new StoredTable(
                        0, schema, kind.kind(), columns, List.of(), List.of(), columns.size() + 1),
                kind);
    }

    /** The same for all versions of the columns. */
    String id() {
        EntityColumns entities = kind;
        if (entities == null) {
            return "t" + table.id();
        }
        String name = entities.home().getNamespaceId() + '/' + entities.kind();
        return "k" + HexFormat.of().formatHex(name.getBytes(StandardCharsets.UTF_8));
    }

    /** The name of the segment, which changes with the columns. */
    String segment() {
        return id() + "_" + Integer.toHexString(table.columns().hashCode());
    }

    /** Every row; of a kind, its part of the index of kinds. */
    KeyRange rows() {
        EntityColumns entities = kind;
        return entities == null
                ? new TableFormat(table).rows()
                : KeyRange.ofPrefix(
                        RowLayout.kindPrefix(entities.home().getNamespaceId(), entities.kind()));
    }

    /** Whether a row of the database belongs to the segment. */
    boolean contains(byte[] row) {
        EntityColumns entities = kind;
        if (entities == null) {
            return new TableFormat(table).rows().contains(row);
        }
        byte[] prefix = RowLayout.entityPrefix(entities.home().getNamespaceId());
        if (!Bytes.startsWith(row, prefix)) {
            return false;
        }
        Key key = RowLayout.entityKey("", "", row);
        return key.getPath(key.getPathCount() - 1).getKind().equals(entities.kind());
    }

    /** Bytes of the key of a row that all rows of the segment begin with. */
    public int prefixBytes() {
        EntityColumns entities = kind;
        return entities == null
                ? TABLE_PREFIX_BYTES
                : RowLayout.entityPrefix(entities.home().getNamespaceId()).length;
    }

    void write(Wire wire) throws IOException {
        EntityColumns entities = kind;
        wire.putBytes(TableTransfer.encode(table));
        wire.out().writeBoolean(entities != null);
        if (entities == null) {
            return;
        }
        wire.putText(entities.home().getProjectId());
        wire.putText(entities.home().getDatabaseId());
        wire.putText(entities.home().getNamespaceId());
        wire.putText(entities.kind());
        List<KindColumns.Property> properties = entities.properties().list();
        wire.out().writeInt(properties.size());
        for (KindColumns.Property property : properties) {
            wire.putText(property.name());
            writeType(wire, property.type());
        }
    }

    public static SegmentSource read(Wire wire) throws IOException {
        StoredTable table = TableTransfer.decode(wire.takeBytes());
        if (!wire.in().readBoolean()) {
            return new SegmentSource(table, null);
        }
        var home = RowLayout.partition(wire.takeText(), wire.takeText(), wire.takeText());
        String kind = wire.takeText();
        SortedMap<String, KindColumns.Property> properties = new TreeMap<>();
        for (int rest = wire.in().readInt(); rest > 0; rest--) {
            String name = wire.takeText();
            properties.put(name, new KindColumns.Property(name, readType(wire), false));
        }
        return new SegmentSource(
                table, new EntityColumns(home, kind, new KindColumns(properties, true)));
    }

    static PropertyType readType(Wire wire) throws IOException {
        return new PropertyType(
                PropertyType.Scalar.valueOf(wire.takeText()), wire.in().readBoolean());
    }

    public static void writeType(Wire wire, PropertyType type) throws IOException {
        wire.putText(type.scalar().name());
        wire.out().writeBoolean(type.array());
    }
}
