package petrichor.sql.entities;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;
import petrichor.tables.StoredColumn;

/**
 * The columns of a kind, in this order: {@code __key__}, {@code __id__}, {@code __name__}, {@code
 * __parent__}, {@code __ancestors__}, the properties by name, {@code __json__}. Immutable.
 */
public record EntityColumns(PartitionId home, String kind, KindColumns properties) {
    public static final String KEY = "__key__";
    public static final String ID = "__id__";
    public static final String NAME = "__name__";
    public static final String PARENT = "__parent__";

    /** Keys of all ancestors, from the root. */
    public static final String ANCESTORS = "__ancestors__";

    public static final String JSON = "__json__";
    public static final int KEY_AT = 0;
    private static final int ID_AT = 1;
    private static final int NAME_AT = 2;
    private static final int PARENT_AT = 3;
    private static final int ANCESTORS_AT = 4;
    private static final int PROPERTIES_AT = 5;

    /** A value that the type of its column cannot show. */
    public record Misfit(String property, PropertyType type) {
        /** The same statement succeeds when it is repeated, with the wider type. */
        public PetrichorException failure() {
            return PetrichorException.of(
                    ErrorCode.ABORTED,
                    "The property {property} has values of further types; its column has changed."
                            + " Retry the transaction.",
                    "property",
                    property);
        }
    }

    /** Null if all values fit. */
    public @Nullable Misfit misfit(Entity entity) {
        List<Misfit> misfits = misfits(entity);
        return misfits.isEmpty() ? null : misfits.getFirst();
    }

    /** Every value that the type of its column cannot show. */
    public List<Misfit> misfits(Entity entity) {
        List<Misfit> misfits = List.of();
        for (Map.Entry<String, Value> property : entity.getPropertiesMap().entrySet()) {
            KindColumns.Property known = properties.properties().get(property.getKey());
            if (known != null && !known.type().fits(property.getValue())) {
                PropertyType other = PropertyType.of(property.getValue());
                PropertyType wider = other == null ? PropertyType.JSON : known.type().with(other);
                misfits = misfits.isEmpty() ? new ArrayList<>() : misfits;
                misfits.add(new Misfit(property.getKey(), wider));
            }
        }
        return misfits;
    }

    /** Names and types of the columns. */
    public List<StoredColumn> columns() {
        ColumnType text = ColumnType.of(DataType.TEXT);
        List<StoredColumn> columns = new ArrayList<>();
        add(columns, KEY, text);
        add(columns, ID, ColumnType.of(DataType.BIGINT));
        add(columns, NAME, text);
        add(columns, PARENT, text);
        add(columns, ANCESTORS, ColumnType.arrayOf(text));
        for (KindColumns.Property property : properties.list()) {
            add(columns, property.name(), property.type().column());
        }
        add(columns, JSON, ColumnType.of(DataType.JSON));
        return columns;
    }

    private static void add(List<StoredColumn> columns, String name, ColumnType type) {
        columns.add(new StoredColumn(columns.size() + 1, name, type, true, null));
    }

    private PropertyValues values() {
        return new PropertyValues(home);
    }

    public String text(Key key) {
        return KeyLiteral.of(key, home);
    }

    /** INVALID_ARGUMENT if it is not a key. */
    public Key key(String text) {
        return KeyLiteral.parse(text, home);
    }

    /** One value per column. */
    public List<@Nullable Object> values(Entity entity) {
        PropertyValues converted = values();
        Key key = entity.getKey();
        List<@Nullable Object> row = new ArrayList<>();
        Key.PathElement last = key.getPath(key.getPathCount() - 1);
        row.add(text(key));
        row.add(last.hasId() ? last.getId() : null);
        row.add(last.hasName() ? last.getName() : null);
        List<String> ancestors = new ArrayList<>();
        for (int length = 1; length < key.getPathCount(); length++) {
            ancestors.add(
                    text(
                            key.toBuilder()
                                    .clearPath()
                                    .addAllPath(key.getPathList().subList(0, length))
                                    .build()));
        }
        row.add(ancestors.isEmpty() ? null : ancestors.getLast());
        row.add(ancestors);
        for (KindColumns.Property property : properties.list()) {
            row.add(
                    converted.toColumn(
                            entity.getPropertiesMap().get(property.name()), property.type()));
        }
        row.add(converted.json(entity));
        return row;
    }

    /**
     * The key of a new row: from {@code __key__}, or from its parent, and its id or name.
     *
     * @param ids called if the row has neither an id nor a name
     */
    public Key newKey(List<@Nullable Object> row, LongSupplier ids) {
        String given = (String) row.get(KEY_AT);
        Long id = (Long) row.get(ID_AT);
        String name = (String) row.get(NAME_AT);
        String parent = (String) row.get(PARENT_AT);
        if (given != null) {
            Key key = key(given);
            Key.PathElement last = key.getPath(key.getPathCount() - 1);
            boolean same =
                    (id == null || (last.hasId() && last.getId() == id))
                            && (name == null || last.getName().equals(name))
                            && parent == null;
            if (!key.getPartitionId().equals(home) || !last.getKind().equals(kind) || !same) {
                throw PetrichorException.invalid(
                        "The key {key} is not one of this table, or contradicts the other columns"
                                + " of the key; give __key__ alone, or __parent__ with __id__ or"
                                + " __name__.",
                        "key",
                        given);
            }
            return key;
        }
        if (id != null && name != null) {
            throw PetrichorException.invalid(
                    "An entity has either an __id__ or a __name__, not both.");
        }
        Key.Builder key = parent == null ? Key.newBuilder() : key(parent).toBuilder();
        Key.PathElement.Builder element = Key.PathElement.newBuilder().setKind(kind);
        if (name != null) {
            element.setName(name);
        } else {
            element.setId(id == null ? ids.getAsLong() : id);
        }
        return key.setPartitionId(home).addPath(element).build();
    }

    /**
     * The properties whose columns differ between two rows.
     *
     * @param before null for a new row
     */
    public Map<String, Value> changes(
            @Nullable List<@Nullable Object> before, List<@Nullable Object> after) {
        PropertyValues converted = values();
        Map<String, Value> changed = new LinkedHashMap<>();
        if (!fixed(before, after)) {
            throw PetrichorException.of(
                    ErrorCode.UNIMPLEMENTED,
                    "The key of an entity cannot change, and __ancestors__ and __json__ are"
                            + " read-only: write the columns of its properties.");
        }
        for (int i = 0; i < properties.list().size(); i++) {
            int at = PROPERTIES_AT + i;
            KindColumns.Property property = properties.list().get(i);
            boolean different = before == null ? after.get(at) != null : !same(before, after, at);
            if (different) {
                changed.put(
                        property.name(),
                        converted.toProperty(after.get(at), property.type(), property.indexed()));
            }
        }
        return changed;
    }

    private boolean fixed(@Nullable List<@Nullable Object> before, List<@Nullable Object> after) {
        int json = PROPERTIES_AT + properties.list().size();
        if (before == null) {
            return after.get(ANCESTORS_AT) == null && after.get(json) == null;
        }
        for (int at = 0; at < PROPERTIES_AT; at++) {
            if (!same(before, after, at)) {
                return false;
            }
        }
        return same(before, after, json);
    }

    private static boolean same(
            List<@Nullable Object> before, List<@Nullable Object> after, int at) {
        return Objects.deepEquals(before.get(at), after.get(at));
    }
}
