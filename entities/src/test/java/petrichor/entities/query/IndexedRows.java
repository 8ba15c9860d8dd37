package petrichor.entities.query;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.entities.CompositeIndex;
import petrichor.entities.IndexDefinition;
import petrichor.entities.IndexDefinition.Column;
import petrichor.entities.IndexedValues;
import petrichor.entities.KeyCodec;
import petrichor.entities.RowLayout;
import petrichor.entities.SortOrder;
import petrichor.entities.ValueCodec;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;

/** Entities and their index rows in a sorted map, as a slow and simple reference. */
final class IndexedRows implements RowReader {
    static final long VERSION = 1_000_000;

    private final TreeMap<Bytes, byte[]> rows = new TreeMap<>();
    private final List<CompositeIndex> composites = new ArrayList<>();
    final List<Entity> entities = new ArrayList<>();

    void put(Entity entity) {
        entities.add(entity);
        Key key = entity.getKey();
        String namespace = key.getPartitionId().getNamespaceId();
        String kind = key.getPath(key.getPathCount() - 1).getKind();
        byte[] path = KeyCodec.path(key);
        rows.put(
                Bytes.of(RowLayout.entityRow(key)),
                Bytes.concat(new byte[8], entity.toByteArray()));
        put(RowLayout.kindRow(namespace, kind, path));
        IndexedValues.of(entity)
                .all()
                .forEach(
                        (property, values) -> {
                            for (SortOrder order : SortOrder.values()) {
                                for (Bytes value : values) {
                                    put(
                                            Bytes.concat(
                                                    RowLayout.propertyPrefix(
                                                            namespace, kind, property, order),
                                                    directed(value, order),
                                                    path));
                                }
                            }
                        });
        composites.forEach(index -> put(index, entity));
    }

    private void put(byte[] row) {
        rows.put(Bytes.of(row), new byte[0]);
    }

    private static byte[] directed(Bytes value, SortOrder order) {
        return order == SortOrder.ASCENDING ? value.array() : Interval.invert(value.array());
    }

    private void put(CompositeIndex index, Entity entity) {
        Key key = entity.getKey();
        if (!key.getPath(key.getPathCount() - 1).getKind().equals(index.definition().kind())) {
            return;
        }
        byte[] path = KeyCodec.path(key);
        String namespace = key.getPartitionId().getNamespaceId();
        List<byte[]> tails = new ArrayList<>(List.of(new byte[0]));
        IndexedValues values = IndexedValues.of(entity);
        for (Column column : index.definition().columns()) {
            List<byte[]> longer = new ArrayList<>();
            for (byte[] tail : tails) {
                Value own = Value.newBuilder().setKeyValue(key).build();
                for (Bytes value :
                        column.property().equals("__key__")
                                ? List.of(Bytes.of(ValueCodec.encode(own, SortOrder.ASCENDING)))
                                : values.of(column.property())) {
                    longer.add(Bytes.concat(tail, directed(value, column.order())));
                }
            }
            tails = longer;
        }
        List<byte @Nullable []> ancestors = new ArrayList<>();
        if (index.definition().ancestor()) {
            for (int length : KeyCodec.ancestorLengths(path)) {
                ancestors.add(Arrays.copyOf(path, length));
            }
        } else {
            ancestors.add(null);
        }
        for (byte[] ancestor : ancestors) {
            byte[] prefix = RowLayout.compositePrefix(index.id(), namespace, ancestor);
            tails.forEach(tail -> put(Bytes.concat(prefix, tail, path)));
        }
    }

    void ensure(IndexDefinition definition) {
        CompositeIndex index =
                new CompositeIndex(
                        composites.size() + 1,
                        definition,
                        CompositeIndex.State.READABLE,
                        CompositeIndex.Origin.AUTOMATIC);
        composites.add(index);
        entities.forEach(entity -> put(index, entity));
    }

    List<CompositeIndex> readable(String kind) {
        return composites.stream().filter(i -> i.definition().kind().equals(kind)).toList();
    }

    @Override
    public long version() {
        return VERSION;
    }

    @Override
    public @Nullable Row get(byte[] key) {
        byte[] value = rows.get(Bytes.of(key));
        return value == null ? null : new Row(key, VERSION, value);
    }

    @Override
    public List<@Nullable Row> get(List<byte[]> keys) {
        List<@Nullable Row> found = new ArrayList<>();
        keys.forEach(key -> found.add(get(key)));
        return found;
    }

    @Override
    public RowCursor scan(KeyRange range, Direction direction) {
        NavigableMap<Bytes, byte[]> part = rows.tailMap(Bytes.of(range.from()), true);
        byte[] to = range.to();
        if (to != null) {
            part = part.headMap(Bytes.of(to), false);
        }
        var steps =
                (direction == Direction.FORWARD ? part : part.descendingMap())
                        .entrySet()
                        .iterator();
        return new RowCursor() {
            private Map.@Nullable Entry<Bytes, byte[]> current;

            @Override
            public boolean next() {
                current = steps.hasNext() ? steps.next() : null;
                return current != null;
            }

            @Override
            public byte[] key() {
                return java.util.Objects.requireNonNull(current).getKey().array();
            }

            @Override
            public long version() {
                return VERSION;
            }

            @Override
            public byte[] value() {
                return java.util.Objects.requireNonNull(current).getValue();
            }

            @Override
            public void close() {}
        };
    }
}
