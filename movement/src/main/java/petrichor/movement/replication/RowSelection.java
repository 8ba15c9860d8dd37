package petrichor.movement.replication;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Value;
import com.google.protobuf.NullValue;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityRow;
import petrichor.entities.RowLayout;
import petrichor.entities.StoredEntities;
import petrichor.kv.KeyRange;
import petrichor.rpc.v1.ReplicaSelection;
import petrichor.tables.StoredTables;

/**
 * Which rows are replicated: entities and tables, or only entities of some kinds and namespaces,
 * and properties whose values become null. Index rows of entities are not copied: the replica
 * maintains its own. Immutable.
 */
public final class RowSelection {
    public static final RowSelection ALL = new RowSelection(ReplicaSelection.getDefaultInstance());

    private static final int HEADER_BYTES = 8;

    private final ReplicaSelection selection;
    private final Set<String> kinds;
    private final Set<String> namespaces;
    private final Map<String, Set<String>> masks = new HashMap<>();

    /** INVALID_ARGUMENT if a mask does not have the form KIND.PROPERTY. */
    public RowSelection(ReplicaSelection selection) {
        this.selection = selection;
        this.kinds = Set.copyOf(selection.getKindsList());
        this.namespaces = Set.copyOf(selection.getNamespacesList());
        for (String mask : selection.getMasksList()) {
            int dot = mask.indexOf('.');
            if (dot <= 0 || dot == mask.length() - 1) {
                throw PetrichorException.invalid(
                        "The mask \"{mask}\" must name a kind and a property: KIND.PROPERTY.",
                        "mask",
                        mask);
            }
            masks.computeIfAbsent(mask.substring(0, dot), _ -> new HashSet<>())
                    .add(mask.substring(dot + 1));
        }
    }

    /** Whether the replica is not a full copy. */
    public boolean partial() {
        return !kinds.isEmpty() || !namespaces.isEmpty() || !masks.isEmpty();
    }

    ReplicaSelection message() {
        return selection;
    }

    /** The rows among which the selected ones are, in key order. */
    List<KeyRange> ranges() {
        return partial()
                ? List.of(RowLayout.entities())
                : List.of(RowLayout.entities(), StoredEntities.counter(), StoredTables.rows());
    }

    /** The parts of the ranges from a key to another one; null for the end. */
    List<KeyRange> ranges(byte[] from, byte @Nullable [] to) {
        List<KeyRange> parts = new ArrayList<>();
        for (KeyRange range : ranges()) {
            byte[] start = Arrays.compareUnsigned(from, range.from()) > 0 ? from : range.from();
            byte[] rangeEnd = range.to();
            byte[] end =
                    rangeEnd == null || (to != null && Arrays.compareUnsigned(to, rangeEnd) < 0)
                            ? to
                            : rangeEnd;
            if (end == null || Arrays.compareUnsigned(start, end) < 0) {
                parts.add(new KeyRange(start, end));
            }
        }
        return parts;
    }

    boolean selects(byte[] key) {
        if (!RowLayout.isEntity(key)) {
            return !partial() && (StoredTables.contains(key) || StoredEntities.isCounter(key));
        }
        if (kinds.isEmpty() && namespaces.isEmpty()) {
            return true;
        }
        Key entity = RowLayout.entityKey("-", "", key);
        return (kinds.isEmpty() || kinds.contains(kind(entity)))
                && (namespaces.isEmpty()
                        || namespaces.contains(entity.getPartitionId().getNamespaceId()));
    }

    private static String kind(Key key) {
        return key.getPath(key.getPathCount() - 1).getKind();
    }

    /** The value of a selected row as the replica gets it. */
    byte @Nullable [] masked(byte[] key, byte @Nullable [] value) {
        if (value == null || masks.isEmpty() || !RowLayout.isEntity(key)) {
            return value;
        }
        Set<String> hidden = masks.get(kind(RowLayout.entityKey("-", "", key)));
        if (hidden == null) {
            return value;
        }
        Entity entity = EntityRow.entity(value);
        Entity.Builder shown = entity.toBuilder();
        for (String property : hidden) {
            Value stored = entity.getPropertiesMap().get(property);
            if (stored != null) {
                shown.putProperties(
                        property,
                        Value.newBuilder()
                                .setNullValue(NullValue.NULL_VALUE)
                                .setExcludeFromIndexes(stored.getExcludeFromIndexes())
                                .build());
            }
        }
        byte[] encoded = shown.build().toByteArray();
        return ByteBuffer.allocate(HEADER_BYTES + encoded.length)
                .put(value, 0, HEADER_BYTES)
                .put(encoded)
                .array();
    }
}
