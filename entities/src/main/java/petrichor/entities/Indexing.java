package petrichor.entities;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.OrderedWriter;
import petrichor.base.PetrichorException;

/**
 * Computes the index rows of an entity: a pure function, so that a commit adds and removes the
 * difference of two such sets, and a consistency check can recompute them. Stateless.
 */
public final class Indexing {
    /** The entity's own key as the last column of a composite index. */
    static final String KEY_COLUMN = "__key__";

    private Indexing() {}

    /** Keys of the index rows that a commit adds and removes. */
    record Difference(Set<Bytes> added, Set<Bytes> removed) {
        Difference() {
            this(new LinkedHashSet<>(), new LinkedHashSet<>());
        }

        private void add(Set<Bytes> before, Set<Bytes> after) {
            addMissing(after, before, added);
            addMissing(before, after, removed);
        }

        private static void addMissing(Set<Bytes> from, Set<Bytes> in, Set<Bytes> to) {
            for (Bytes row : from) {
                if (!in.contains(row)) {
                    to.add(row);
                }
            }
        }
    }

    /**
     * Adds the difference between two states of an entity. Most writes change few properties or
     * none that is indexed, so unchanged properties are not even encoded. INVALID_ARGUMENT if the
     * new state has more entries than the limits allow.
     *
     * @param before null if it did not exist
     * @param after null if it is deleted
     */
    static void addDifference(
            @Nullable Entity before, @Nullable Entity after, Indexes indexes, Difference sum) {
        if (before == null || after == null) {
            sum.add(
                    before == null ? Set.of() : storedRows(before, indexes),
                    after == null ? Set.of() : newRows(after, indexes));
            return;
        }
        Set<String> changed = changedProperties(before, after);
        if (changed.isEmpty()) {
            return;
        }
        IndexedValues.requireFew(after);
        sum.add(propertyRows(before, changed), propertyRows(after, changed));
        List<CompositeIndex> composites = indexes.maintained(kind(after));
        if (composites.stream().anyMatch(index -> concerns(index, changed))) {
            sum.add(
                    compositeRows(before, IndexedValues.of(before), composites, false),
                    compositeRows(after, IndexedValues.of(after), composites, true));
        }
    }

    /** The changed properties that indexes can contain. */
    private static Set<String> changedProperties(Entity before, Entity after) {
        Set<String> changed = new HashSet<>();
        Map<String, Value> former = before.getPropertiesMap();
        Map<String, Value> latter = after.getPropertiesMap();
        latter.forEach(
                (name, value) -> {
                    Value was = former.get(name);
                    boolean indexed =
                            was == null
                                    || !was.getExcludeFromIndexes()
                                    || !value.getExcludeFromIndexes();
                    if (indexed && !value.equals(was)) {
                        changed.add(name);
                    }
                });
        for (String name : former.keySet()) {
            if (!latter.containsKey(name)) {
                changed.add(name);
            }
        }
        return changed;
    }

    private static boolean concerns(CompositeIndex index, Set<String> changed) {
        for (IndexDefinition.Column column : index.definition().columns()) {
            String path = column.property();
            for (String name : changed) {
                if (path.startsWith(name)
                        && (path.length() == name.length() || path.charAt(name.length()) == '.')) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Keys of all index rows of an entity to be written; INVALID_ARGUMENT if there are more than
     * the limits allow.
     */
    static Set<Bytes> newRows(Entity entity, Indexes indexes) {
        return rows(entity, indexes, true);
    }

    /**
     * Keys of all index rows of a stored entity. An index that was declared later, and in which the
     * entity would have too many entries, does not contain the entity.
     */
    static Set<Bytes> storedRows(Entity entity, Indexes indexes) {
        return rows(entity, indexes, false);
    }

    private static Set<Bytes> rows(Entity entity, Indexes indexes, boolean strict) {
        byte[] path = KeyCodec.path(entity.getKey());
        IndexedValues values = IndexedValues.of(entity);
        Set<Bytes> rows = new LinkedHashSet<>();
        rows.add(Bytes.of(RowLayout.kindRow(namespace(entity), kind(entity), path)));
        addPropertyRows(rows, namespace(entity), kind(entity), path, values);
        rows.addAll(compositeRows(entity, values, indexes.maintained(kind(entity)), strict));
        return rows;
    }

    private static Set<Bytes> propertyRows(Entity entity, Set<String> properties) {
        IndexedValues values = IndexedValues.of(entity, properties);
        if (values.all().isEmpty()) {
            return Set.of();
        }
        Set<Bytes> rows = new LinkedHashSet<>();
        byte[] path = KeyCodec.path(entity.getKey());
        addPropertyRows(rows, namespace(entity), kind(entity), path, values);
        return rows;
    }

    private static Set<Bytes> compositeRows(
            Entity entity, IndexedValues values, List<CompositeIndex> indexes, boolean strict) {
        if (indexes.isEmpty()) {
            return Set.of();
        }
        byte[] path = KeyCodec.path(entity.getKey());
        Set<Bytes> rows = new LinkedHashSet<>();
        int entries = 0;
        long bytes = 0;
        for (CompositeIndex index : indexes) {
            CompositeRows composite = new CompositeRows(index, entity, path, values);
            entries += composite.rows.size();
            bytes += composite.bytes;
            if (strict && (composite.tooMany() || tooMany(entries, bytes))) {
                throw PetrichorException.invalid(
                        "The entity has more than "
                                + Limits.COMPOSITE_ENTRIES_MAX
                                + " entries or "
                                + Limits.COMPOSITE_BYTES_MAX
                                + " bytes of entries in the composite indexes of its kind: put"
                                + " fewer values into its arrays, or drop an index.");
            }
            composite.rows().forEach(row -> rows.add(Bytes.of(row)));
        }
        return rows;
    }

    private static String namespace(Entity entity) {
        return entity.getKey().getPartitionId().getNamespaceId();
    }

    private static String kind(Entity entity) {
        return entity.getKey().getPath(entity.getKey().getPathCount() - 1).getKind();
    }

    /** Keys of the rows of one composite index for a stored entity of its kind. */
    static List<byte[]> storedRows(Entity entity, CompositeIndex index) {
        return new CompositeRows(
                        index, entity, KeyCodec.path(entity.getKey()), IndexedValues.of(entity))
                .rows();
    }

    private static boolean tooMany(int entries, long bytes) {
        return entries > Limits.COMPOSITE_ENTRIES_MAX || bytes > Limits.COMPOSITE_BYTES_MAX;
    }

    private static void addPropertyRows(
            Set<Bytes> rows, String namespace, String kind, byte[] path, IndexedValues values) {
        for (Map.Entry<String, Set<Bytes>> property : values.all().entrySet()) {
            for (SortOrder order : SortOrder.values()) {
                byte[] prefix = RowLayout.propertyPrefix(namespace, kind, property.getKey(), order);
                for (Bytes value : property.getValue()) {
                    OrderedWriter row =
                            new OrderedWriter(prefix.length + value.array().length + path.length);
                    row.putEncoded(prefix);
                    putValue(row, value, order);
                    rows.add(Bytes.of(row.putEncoded(path).toBytes()));
                }
            }
        }
    }

    private static void putValue(OrderedWriter row, Bytes value, SortOrder order) {
        int from = row.length();
        row.putEncoded(value.array());
        if (order.inverted()) {
            row.invertSince(from);
        }
    }

    /**
     * The rows of one composite index for one entity: their number can explode when arrays are
     * combined.
     */
    private static final class CompositeRows {
        private final CompositeIndex index;
        private final Entity entity;
        private final byte[] path;
        private final IndexedValues values;
        private final List<byte[]> rows = new ArrayList<>();
        private long bytes;

        CompositeRows(CompositeIndex index, Entity entity, byte[] path, IndexedValues values) {
            this.index = index;
            this.entity = entity;
            this.path = path;
            this.values = values;
            if (!index.definition().ancestor()) {
                add(null);
                return;
            }
            for (int length : KeyCodec.ancestorLengths(path)) {
                add(Arrays.copyOf(path, length));
            }
        }

        boolean tooMany() {
            return Indexing.tooMany(rows.size(), bytes);
        }

        /** Empty if there are too many. */
        List<byte[]> rows() {
            return tooMany() ? List.of() : rows;
        }

        private void add(byte @Nullable [] ancestor) {
            String namespace = entity.getKey().getPartitionId().getNamespaceId();
            OrderedWriter row = new OrderedWriter(128);
            row.putEncoded(RowLayout.compositePrefix(index.id(), namespace, ancestor));
            addColumns(row, 0);
        }

        private void addColumns(OrderedWriter row, int column) {
            List<IndexDefinition.Column> columns = index.definition().columns();
            if (column == columns.size()) {
                addRow(row);
                return;
            }
            IndexDefinition.Column next = columns.get(column);
            int mark = row.length();
            for (Bytes value : valuesOf(next.property())) {
                if (tooMany()) {
                    return;
                }
                putValue(row, value, next.order());
                addColumns(row, column + 1);
                row.truncate(mark);
            }
        }

        private Collection<Bytes> valuesOf(String property) {
            if (property.equals(KEY_COLUMN)) {
                Value key = Value.newBuilder().setKeyValue(entity.getKey()).build();
                return List.of(Bytes.of(ValueCodec.encode(key, SortOrder.ASCENDING)));
            }
            return values.of(property);
        }

        private void addRow(OrderedWriter row) {
            int mark = row.length();
            byte[] key = row.putEncoded(path).toBytes();
            row.truncate(mark);
            rows.add(key);
            bytes += key.length;
        }
    }
}
