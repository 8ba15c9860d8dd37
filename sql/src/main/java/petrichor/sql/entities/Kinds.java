package petrichor.sql.entities;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.OrderedReader;
import petrichor.entities.EntityRow;
import petrichor.entities.RowLayout;
import petrichor.entities.SortOrder;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;

/**
 * Finds namespaces, kinds and the columns of a kind, by jumping from name to name in the indexes of
 * kinds and properties, and by reading some entities. Confined to one thread.
 */
public final class Kinds {
    /** Entities that are read from each end of a kind. */
    private static final int SAMPLED_ENTITIES = 100;

    private static final int SAMPLE_BYTES_MAX = 8 << 20;
    private static final int NAMES_MAX = 1_000;

    /** The schema of the default namespace. */
    public static final String SCHEMA = "entities";

    private final Snapshot snapshot;

    public Kinds(Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    /** The schema of a namespace. */
    public static String schema(String namespace) {
        return namespace.isEmpty() ? SCHEMA : SCHEMA + ":" + namespace;
    }

    /**
     * The partition of the keys of a namespace.
     *
     * @param database its name, PROJECT or PROJECT/DATABASE
     */
    public static PartitionId home(String database, String namespace) {
        int slash = database.indexOf('/');
        return RowLayout.partition(
                slash < 0 ? database : database.substring(0, slash),
                slash < 0 ? "" : database.substring(slash + 1),
                namespace);
    }

    /** At most {@value #NAMES_MAX}. */
    public List<String> namespaces() {
        List<String> names = new ArrayList<>();
        byte[] from = RowLayout.kindPrefix();
        byte[] row = first(from, RowLayout.kindPrefix());
        while (row != null && names.size() < NAMES_MAX) {
            String namespace = new OrderedReader(row, 1).takeString();
            names.add(namespace);
            row = first(after(RowLayout.kindPrefix(namespace)), RowLayout.kindPrefix());
        }
        return names;
    }

    /** At most {@value #NAMES_MAX}. */
    public List<String> kinds(String namespace) {
        List<String> names = new ArrayList<>();
        byte[] all = RowLayout.kindPrefix(namespace);
        byte[] row = first(all, all);
        while (row != null && names.size() < NAMES_MAX) {
            OrderedReader in = new OrderedReader(row, 1);
            in.skipString();
            String kind = in.takeString();
            names.add(kind);
            row = first(after(RowLayout.kindPrefix(namespace, kind)), all);
        }
        return names;
    }

    private byte @Nullable [] first(byte[] from, byte[] prefix) {
        KeyRange range = new KeyRange(from, Bytes.afterPrefix(prefix));
        if (range.isEmpty()) {
            return null;
        }
        try (RowCursor cursor = snapshot.scan(range, Direction.FORWARD)) {
            return cursor.next() ? cursor.key() : null;
        }
    }

    private static byte[] after(byte[] prefix) {
        byte[] next = Bytes.afterPrefix(prefix);
        if (next == null) {
            throw new IllegalStateException("a row starts with a letter");
        }
        return next;
    }

    /**
     * @param widened types that values have outside of what this reads
     */
    public KindColumns columns(String namespace, String kind, Map<String, PropertyType> widened) {
        Map<String, PropertyType> types = new HashMap<>();
        Set<String> undecided = new HashSet<>();
        Set<String> indexed = new HashSet<>();
        for (Entity entity : sample(namespace, kind)) {
            entity.getPropertiesMap()
                    .forEach(
                            (name, value) -> {
                                add(types, undecided, name, value);
                                if (indexed(value)) {
                                    indexed.add(name);
                                }
                            });
        }
        addIndexed(namespace, kind, types, indexed);
        undecided.forEach(name -> types.putIfAbsent(name, PropertyType.JSON));
        widened.forEach((name, type) -> types.merge(name, type, PropertyType::with));
        return KindColumns.of(types, indexed);
    }

    private static void add(
            Map<String, PropertyType> types, Set<String> undecided, String name, Value value) {
        PropertyType type = PropertyType.of(value);
        if (type == null) {
            undecided.add(name);
        } else {
            types.merge(name, type, PropertyType::with);
        }
    }

    private static boolean indexed(Value value) {
        return value.hasArrayValue()
                ? value.getArrayValue().getValuesList().stream()
                        .anyMatch(element -> !element.getExcludeFromIndexes())
                : !value.getExcludeFromIndexes();
    }

    private List<Entity> sample(String namespace, String kind) {
        KeyRange range = KeyRange.ofPrefix(RowLayout.kindPrefix(namespace, kind));
        List<Entity> sample = new ArrayList<>();
        for (Direction direction : Direction.values()) {
            List<byte[]> keys = new ArrayList<>();
            try (RowCursor cursor = snapshot.scan(range, direction)) {
                while (keys.size() < SAMPLED_ENTITIES && cursor.next()) {
                    keys.add(KindRows.entityRow(cursor.key()));
                }
            }
            long bytes = 0;
            for (byte[] key : keys) {
                Row row = bytes < SAMPLE_BYTES_MAX ? snapshot.get(key) : null;
                if (row != null) {
                    bytes += row.value().length;
                    sample.add(EntityRow.entity(row.value()));
                }
            }
        }
        return sample;
    }

    /** The first row of each class of values of each indexed property. */
    private void addIndexed(
            String namespace, String kind, Map<String, PropertyType> types, Set<String> indexed) {
        byte[] all = RowLayout.propertyPrefix(namespace, kind);
        byte[] row = first(all, all);
        while (row != null && types.size() <= KindColumns.PROPERTIES_MAX) {
            RowLayout.PropertyRow found = RowLayout.parsePropertyRow(row);
            String name = found.property();
            indexed.add(name);
            if (found.order() != SortOrder.ASCENDING) {
                SortOrder last = SortOrder.DESCENDING;
                row = first(after(RowLayout.propertyPrefix(namespace, kind, name, last)), all);
                continue;
            }
            PropertyType type = PropertyType.of(found.value());
            PropertyType known = types.get(name);
            // The index has the elements of arrays.
            boolean element =
                    known != null && known.array() && type != null && type.equals(element(known));
            if (type != null && !element && name.indexOf('.') < 0) {
                types.merge(name, type, PropertyType::with);
            }
            byte[] prefix = RowLayout.propertyPrefix(namespace, kind, name, SortOrder.ASCENDING);
            byte[] next = Arrays.copyOf(row, prefix.length + 1);
            row = first(after(next), all);
        }
    }

    private static PropertyType element(PropertyType array) {
        return new PropertyType(array.scalar(), false);
    }
}
