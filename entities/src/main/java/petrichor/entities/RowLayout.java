package petrichor.entities;

import com.google.datastore.v1.Key;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.OrderedReader;
import petrichor.base.OrderedWriter;
import petrichor.kv.KeyRange;

/**
 * The row keys of a database; the first byte is the type of the row:
 *
 * <pre>
 * E namespace path                             -> entity, see {@link EntityRow}
 * K namespace kind path                        -> (empty)  every entity, by kind
 * P namespace kind property order value path   -> (empty)  every indexed value, in both orders
 * C index namespace [ancestor] values.. path   -> (empty)  composite indexes
 * M ...                                        -> facts about the database, e.g. its indexes
 * </pre>
 *
 * Paths are those of {@link KeyCodec}; values those of {@link ValueCodec}. Stateless.
 */
public final class RowLayout {
    static final int ENTITY = 'E';
    static final int KIND = 'K';
    static final int PROPERTY = 'P';
    private static final int COMPOSITE = 'C';
    private static final int META = 'M';

    private RowLayout() {}

    /** An inclusive or exclusive bound of a range of values. */
    public record Bound(Value value, boolean inclusive) {}

    // Entities

    public static byte[] entityRow(Key key) {
        OrderedWriter out = new OrderedWriter(64).put(ENTITY);
        out.putString(key.getPartitionId().getNamespaceId());
        KeyCodec.putPath(out, key);
        return out.toBytes();
    }

    public static byte[] entityRow(String namespace, byte[] path) {
        return start(ENTITY, namespace).putEncoded(path).toBytes();
    }

    /** All entities of all namespaces. */
    public static KeyRange entities() {
        return KeyRange.ofPrefix(new byte[] {(byte) ENTITY});
    }

    /** All rows of this layer, in order. */
    public static List<KeyRange> ofEntities() {
        return List.of(
                composites(),
                entities(),
                KeyRange.ofPrefix(kindPrefix()),
                KeyRange.ofPrefix(new byte[] {(byte) META}),
                properties());
    }

    public static KeyRange entities(String namespace) {
        return KeyRange.ofPrefix(entityPrefix(namespace));
    }

    /** Prefix of the entity rows of a namespace; the path follows. */
    public static byte[] entityPrefix(String namespace) {
        return start(ENTITY, namespace).toBytes();
    }

    public static boolean isEntity(byte[] row) {
        return row.length > 0 && row[0] == ENTITY;
    }

    /** Whether rows of this type hold entities, or follow from them. */
    public static boolean isOfEntities(int type) {
        return type == ENTITY
                || type == KIND
                || type == PROPERTY
                || type == COMPOSITE
                || type == META;
    }

    /** Decodes the key of an entity row. */
    public static Key entityKey(String project, String database, byte[] row) {
        OrderedReader in = new OrderedReader(row, 1);
        PartitionId partition = partition(project, database, in.takeString());
        return KeyCodec.takePath(in, partition);
    }

    // The index of kinds

    public static byte[] kindRow(String namespace, String kind, byte[] path) {
        return start(KIND, namespace).putString(kind).putEncoded(path).toBytes();
    }

    /** Prefix of the rows of a kind; the path follows. */
    public static byte[] kindPrefix(String namespace, String kind) {
        return start(KIND, namespace).putString(kind).toBytes();
    }

    /** Prefix of all kinds of a namespace, for the metadata of kinds. */
    public static byte[] kindPrefix(String namespace) {
        return start(KIND, namespace).toBytes();
    }

    /** Prefix of all kinds and namespaces, for the metadata of namespaces. */
    public static byte[] kindPrefix() {
        return new byte[] {(byte) KIND};
    }

    // The indexes of single properties

    public static byte[] propertyRow(
            String namespace,
            String kind,
            String property,
            SortOrder order,
            Value value,
            byte[] path) {
        OrderedWriter out = property(namespace, kind, property, order);
        ValueCodec.put(out, value, order);
        return out.putEncoded(path).toBytes();
    }

    /** Prefix of the rows of a property; value and path follow. */
    public static byte[] propertyPrefix(
            String namespace, String kind, String property, SortOrder order) {
        return property(namespace, kind, property, order).toBytes();
    }

    /** Prefix of the rows of all properties of a kind, for the metadata of properties. */
    public static byte[] propertyPrefix(String namespace, String kind) {
        return start(PROPERTY, namespace).putString(kind).toBytes();
    }

    public static byte[] propertyPrefix(String namespace) {
        return start(PROPERTY, namespace).toBytes();
    }

    private static OrderedWriter property(
            String namespace, String kind, String property, SortOrder order) {
        return start(PROPERTY, namespace)
                .putString(kind)
                .putString(property)
                .put(order.inverted() ? 1 : 0);
    }

    /** The parts of a property index row. */
    public record PropertyRow(
            String namespace,
            String kind,
            String property,
            SortOrder order,
            Value value,
            byte[] path) {}

    public static PropertyRow parsePropertyRow(byte[] row) {
        OrderedReader in = new OrderedReader(row, 1);
        String namespace = in.takeString();
        String kind = in.takeString();
        String property = in.takeString();
        SortOrder order = in.take() == 0 ? SortOrder.ASCENDING : SortOrder.DESCENDING;
        return new PropertyRow(
                namespace, kind, property, order, ValueCodec.take(in, order), in.rest());
    }

    // Composite indexes

    /**
     * Prefix of the rows of a composite index; values and path follow.
     *
     * @param ancestorPath the ancestor whose entries to read; null if the index has no ancestors
     */
    public static byte[] compositePrefix(
            int index, String namespace, byte @Nullable [] ancestorPath) {
        OrderedWriter out = new OrderedWriter(128).put(COMPOSITE).putInt(index);
        out.putString(namespace);
        if (ancestorPath != null) {
            out.putEncoded(ancestorPath);
            KeyCodec.putPathEnd(out);
        }
        return out.toBytes();
    }

    /** All rows of a composite index. */
    public static KeyRange composite(int index) {
        return KeyRange.ofPrefix(new OrderedWriter(5).put(COMPOSITE).putInt(index).toBytes());
    }

    /** All rows of all property indexes. */
    public static KeyRange properties() {
        return KeyRange.ofPrefix(new byte[] {(byte) PROPERTY});
    }

    /** All rows of all composite indexes. */
    public static KeyRange composites() {
        return KeyRange.ofPrefix(new byte[] {(byte) COMPOSITE});
    }

    /** The row of the entity to which an index row belongs; null if its index is unknown. */
    static byte @Nullable [] entityRowOf(byte[] indexRow, Indexes indexes) {
        OrderedReader in = new OrderedReader(indexRow, 1);
        return switch (indexRow[0]) {
            case KIND -> {
                String namespace = in.takeString();
                in.skipString();
                yield entityRow(namespace, in.rest());
            }
            case PROPERTY -> {
                PropertyRow row = parsePropertyRow(indexRow);
                yield entityRow(row.namespace(), row.path());
            }
            case COMPOSITE -> {
                CompositeIndex index = indexes.find(in.takeInt());
                if (index == null) {
                    yield null;
                }
                String namespace = in.takeString();
                if (index.definition().ancestor()) {
                    KeyCodec.skipPath(in);
                }
                index.definition().columns().forEach(c -> ValueCodec.skip(in, c.order()));
                yield entityRow(namespace, in.rest());
            }
            default -> throw in.damaged("this is not an index row");
        };
    }

    // Metadata

    /** Of the entries of all composite indexes. */
    static byte[] compositePrefix() {
        return new OrderedWriter().put(COMPOSITE).toBytes();
    }

    public static byte[] metaRow(String name) {
        return new OrderedWriter().put(META).putString(name).toBytes();
    }

    public static byte[] metaRow(String name, int number) {
        return new OrderedWriter().put(META).putString(name).putInt(number).toBytes();
    }

    public static KeyRange meta(String name) {
        return KeyRange.ofPrefix(metaRow(name));
    }

    // Ranges within a prefix

    /** A prefix narrowed to one value of the next column. */
    public static byte[] narrowed(byte[] prefix, Value value, SortOrder order) {
        OrderedWriter out = new OrderedWriter(prefix.length + 32).putEncoded(prefix);
        ValueCodec.put(out, value, order);
        return out.toBytes();
    }

    /**
     * The rows with this prefix whose next column is within the bounds; null for an open bound. An
     * empty range if the bounds exclude each other.
     */
    public static KeyRange bounded(
            byte[] prefix, SortOrder order, @Nullable Bound lower, @Nullable Bound upper) {
        Bound first = order.inverted() ? upper : lower;
        Bound last = order.inverted() ? lower : upper;
        byte[] from = prefix;
        if (first != null) {
            byte[] at = narrowed(prefix, first.value(), order);
            from = first.inclusive() ? at : after(at);
        }
        byte[] to = after(prefix);
        if (last != null) {
            byte[] at = narrowed(prefix, last.value(), order);
            to = last.inclusive() ? after(at) : at;
        }
        if (Bytes.compare(from, to) > 0) {
            to = from;
        }
        return new KeyRange(from, to);
    }

    /** A prefix immediately before the paths, narrowed to an ancestor and its descendants. */
    public static KeyRange descendants(byte[] prefix, byte[] ancestorPath) {
        return KeyRange.ofPrefix(Bytes.concat(prefix, ancestorPath));
    }

    /** Where the path starts in a row with this prefix followed by these columns. */
    public static int pathOffset(byte[] row, int prefixLength, List<SortOrder> columns) {
        OrderedReader in = new OrderedReader(row, prefixLength);
        for (SortOrder order : columns) {
            ValueCodec.skip(in, order);
        }
        return in.position();
    }

    public static PartitionId partition(String project, String database, String namespace) {
        return PartitionId.newBuilder()
                .setProjectId(project)
                .setDatabaseId(database)
                .setNamespaceId(namespace)
                .build();
    }

    /** No row starts with FF, so every prefix has a successor. */
    private static byte[] after(byte[] prefix) {
        byte[] after = Bytes.afterPrefix(prefix);
        if (after == null) {
            throw new IllegalStateException("a row starts with a letter");
        }
        return after;
    }

    private static OrderedWriter start(int what, String namespace) {
        return new OrderedWriter(128).put(what).putString(namespace);
    }
}
