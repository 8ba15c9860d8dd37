package petrichor.entities.query;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.OrderedReader;
import petrichor.base.PetrichorException;
import petrichor.entities.IndexDefinition.Column;
import petrichor.entities.KeyCodec;
import petrichor.entities.RowLayout;
import petrichor.entities.SortOrder;
import petrichor.entities.ValueCodec;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;

/**
 * The kinds {@code __namespace__}, {@code __kind__} and {@code __property__}, read from the indexes
 * by jumping from one name to the next. Confined to one thread.
 */
final class MetadataWalk implements Walk {
    private static final String NAMESPACES = "__namespace__";
    private static final String KINDS = "__kind__";
    private static final String PROPERTIES = "__property__";
    private static final String REPRESENTATION = "property_representation";
    private static final int ROW_HEADER_BYTES = 8;

    private final Shape shape;
    private final PartitionId partition;
    private final RowReader reader;
    private final Work work;
    private final List<Found> all = new ArrayList<>();
    private int at = -1;

    private record Found(byte[] position, byte[] path, byte[] row) {}

    static boolean covers(String kind) {
        return kind.equals(NAMESPACES) || kind.equals(KINDS) || kind.equals(PROPERTIES);
    }

    MetadataWalk(
            Shape shape,
            List<Conjunction> conjunctions,
            PartitionId partition,
            RowReader reader,
            @Nullable Point start,
            Work work) {
        this.shape = shape;
        this.partition = partition;
        this.reader = reader;
        this.work = work;
        for (Conjunction conjunction : conjunctions) {
            if (!conjunction.equalities().isEmpty() || !conjunction.ranges().isEmpty()) {
                throw PetrichorException.invalid(
                        "Queries on {kind} can only be filtered by __key__.", "kind", shape.kind());
            }
        }
        if (!shape.projected().isEmpty()
                && !shape.kind().equals(PROPERTIES)
                && shape.results() == Shape.Results.PROJECTIONS) {
            throw PetrichorException.invalid(
                    "Queries on {kind} can only return keys.", "kind", shape.kind());
        }
        for (Column column : shape.columns()) {
            if (!column.property().equals(QueryCheck.KEY)
                    && (shape.results() != Shape.Results.PROJECTIONS
                            || !column.property().equals(REPRESENTATION))) {
                throw PetrichorException.invalid(
                        "Queries on {kind} can only be ordered by __key__, and only "
                                + REPRESENTATION
                                + " of "
                                + PROPERTIES
                                + " can be projected.",
                        "kind",
                        shape.kind());
            }
        }
        List<Found> found = new ArrayList<>();
        switch (shape.kind()) {
            case NAMESPACES -> namespaces(found);
            case KINDS -> kinds(found);
            default -> {
                for (String kind : kindNames()) {
                    properties(kind, found);
                }
            }
        }
        found.sort((left, right) -> Bytes.compare(left.position(), right.position()));
        for (Found one : found) {
            boolean wanted =
                    conjunctions.stream().anyMatch(conjunction -> holds(conjunction, one.path()));
            if (wanted && (start == null || start.isBefore(one.position()))) {
                all.add(one);
            }
        }
    }

    private static boolean holds(Conjunction conjunction, byte[] path) {
        byte[] ancestor = conjunction.ancestor();
        return conjunction.keys().contains(path)
                && (ancestor == null || Bytes.startsWith(path, ancestor));
    }

    private void namespaces(List<Found> found) {
        byte[] from = RowLayout.kindPrefix();
        KeyRange all = KeyRange.ofPrefix(from);
        for (byte[] row = first(all); row != null; ) {
            String namespace = new OrderedReader(row, 1).takeString();
            Key.PathElement.Builder element = Key.PathElement.newBuilder().setKind(NAMESPACES);
            // The default namespace has no name for a key, so it has a number.
            add(
                    found,
                    namespace.isEmpty() ? element.setId(1) : element.setName(namespace),
                    null,
                    Set.of());
            row = next(all, RowLayout.kindPrefix(namespace));
        }
    }

    private List<String> kindNames() {
        List<String> kinds = new ArrayList<>();
        KeyRange all = KeyRange.ofPrefix(RowLayout.kindPrefix(shape.namespace()));
        for (byte[] row = first(all); row != null; ) {
            OrderedReader in = new OrderedReader(row, 1);
            in.skipString();
            String kind = in.takeString();
            kinds.add(kind);
            row = next(all, RowLayout.kindPrefix(shape.namespace(), kind));
        }
        return kinds;
    }

    private void kinds(List<Found> found) {
        for (String kind : kindNames()) {
            add(found, Key.PathElement.newBuilder().setKind(KINDS).setName(kind), null, Set.of());
        }
    }

    private void properties(String kind, List<Found> found) {
        KeyRange all = KeyRange.ofPrefix(RowLayout.propertyPrefix(shape.namespace(), kind));
        for (byte[] row = first(all); row != null; ) {
            String property = RowLayout.parsePropertyRow(row).property();
            add(
                    found,
                    Key.PathElement.newBuilder().setKind(PROPERTIES).setName(property),
                    Key.PathElement.newBuilder().setKind(KINDS).setName(kind).build(),
                    shape.results() == Shape.Results.KEYS
                            ? Set.of()
                            : representations(kind, property));
            row =
                    next(
                            all,
                            RowLayout.propertyPrefix(
                                    shape.namespace(), kind, property, SortOrder.DESCENDING));
        }
    }

    /** One row of each type reveals all types: values of a type are adjacent. */
    private Set<String> representations(String kind, String property) {
        Set<String> names = new TreeSet<>();
        byte[] prefix =
                RowLayout.propertyPrefix(shape.namespace(), kind, property, SortOrder.ASCENDING);
        KeyRange all = KeyRange.ofPrefix(prefix);
        for (byte[] row = first(all); row != null; ) {
            names.add(representation(RowLayout.parsePropertyRow(row).value()));
            row = next(all, Bytes.concat(prefix, new byte[] {row[prefix.length]}));
        }
        return names;
    }

    private static String representation(Value value) {
        return switch (value.getValueTypeCase()) {
            case NULL_VALUE, VALUETYPE_NOT_SET, ARRAY_VALUE -> "NULL";
            case ENTITY_VALUE -> "USER";
            case BOOLEAN_VALUE -> "BOOLEAN";
            case INTEGER_VALUE, TIMESTAMP_VALUE -> "INT64";
            case DOUBLE_VALUE -> "DOUBLE";
            case KEY_VALUE -> "REFERENCE";
            case STRING_VALUE, BLOB_VALUE -> "STRING";
            case GEO_POINT_VALUE -> "POINT";
        };
    }

    private byte @Nullable [] next(KeyRange all, byte[] done) {
        byte[] from = Bytes.afterPrefix(done);
        if (from == null || !all.contains(from)) {
            return null;
        }
        return first(new KeyRange(from, all.to()));
    }

    private byte @Nullable [] first(KeyRange range) {
        try (RowCursor cursor = reader.scan(range, Direction.FORWARD)) {
            if (!cursor.next()) {
                return null;
            }
            work.entryScanned();
            return cursor.key();
        }
    }

    private void add(
            List<Found> found,
            Key.PathElement.Builder element,
            Key.@Nullable PathElement parent,
            Set<String> representations) {
        Key.Builder key = Key.newBuilder().setPartitionId(partition);
        if (parent != null) {
            key.addPath(parent);
        }
        key.addPath(element);
        List<Entity> entities = new ArrayList<>();
        Entity.Builder entity = Entity.newBuilder().setKey(key);
        if (shape.results() == Shape.Results.PROJECTIONS) {
            for (String representation : representations) {
                entities.add(
                        entity.putProperties(
                                        REPRESENTATION,
                                        Value.newBuilder().setStringValue(representation).build())
                                .build());
            }
        } else if (!representations.isEmpty()) {
            ArrayValue.Builder array = ArrayValue.newBuilder();
            representations.forEach(name -> array.addValuesBuilder().setStringValue(name));
            entities.add(
                    entity.putProperties(
                                    REPRESENTATION, Value.newBuilder().setArrayValue(array).build())
                            .build());
        } else {
            entities.add(entity.build());
        }
        byte[] path = KeyCodec.path(key.build());
        for (Entity one : entities) {
            byte[] position = position(one, path);
            byte[] row = Bytes.concat(new byte[ROW_HEADER_BYTES], one.toByteArray());
            found.add(new Found(position, path, row));
        }
    }

    private byte[] position(Entity entity, byte[] path) {
        List<byte[]> columns = new ArrayList<>();
        for (Column column : shape.columns()) {
            Value value =
                    column.property().equals(QueryCheck.KEY)
                            ? Value.newBuilder().setKeyValue(entity.getKey()).build()
                            : entity.getPropertiesOrThrow(column.property());
            columns.add(ValueCodec.encode(value, column.order()));
        }
        return new Position(shape).of(columns, path);
    }

    @Override
    public boolean next() {
        return ++at < all.size();
    }

    @Override
    public byte[] position() {
        return all.get(at).position();
    }

    @Override
    public byte[] path() {
        return all.get(at).path();
    }

    @Override
    public @Nullable Row fetched() {
        return new Row(all.get(at).path(), reader.version(), all.get(at).row());
    }

    @Override
    public void close() {}
}
