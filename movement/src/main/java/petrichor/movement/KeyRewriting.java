package petrichor.movement;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import org.jspecify.annotations.Nullable;
import petrichor.client.DatabaseName;

/**
 * Rewrites the keys of an entity to another database: its own key, and those of its values that
 * refer to the entity's database. Keys of other projects or databases stay unchanged, as do
 * namespaces unless one is given.
 */
public record KeyRewriting(DatabaseName target, @Nullable String namespace) {

    public Entity rewrite(Entity entity) {
        PartitionId from = entity.getKey().getPartitionId();
        Entity.Builder moved = entity.toBuilder().setKey(move(entity.getKey()));
        if (from.getProjectId().equals(target.project())
                && from.getDatabaseId().equals(target.database())
                && namespace == null) {
            return moved.build();
        }
        entity.getPropertiesMap()
                .forEach((name, value) -> moved.putProperties(name, rewrite(value, from)));
        return moved.build();
    }

    private Value rewrite(Value value, PartitionId from) {
        return switch (value.getValueTypeCase()) {
            case KEY_VALUE ->
                    sameDatabase(value.getKeyValue().getPartitionId(), from)
                            ? value.toBuilder().setKeyValue(move(value.getKeyValue())).build()
                            : value;
            case ARRAY_VALUE -> {
                ArrayValue.Builder array = ArrayValue.newBuilder();
                for (Value element : value.getArrayValue().getValuesList()) {
                    array.addValues(rewrite(element, from));
                }
                yield value.toBuilder().setArrayValue(array).build();
            }
            case ENTITY_VALUE -> {
                Entity.Builder inner = value.getEntityValue().toBuilder();
                if (inner.hasKey() && sameDatabase(inner.getKey().getPartitionId(), from)) {
                    inner.setKey(move(inner.getKey()));
                }
                value.getEntityValue()
                        .getPropertiesMap()
                        .forEach((name, part) -> inner.putProperties(name, rewrite(part, from)));
                yield value.toBuilder().setEntityValue(inner).build();
            }
            case NULL_VALUE,
                    BOOLEAN_VALUE,
                    INTEGER_VALUE,
                    DOUBLE_VALUE,
                    TIMESTAMP_VALUE,
                    STRING_VALUE,
                    BLOB_VALUE,
                    GEO_POINT_VALUE,
                    VALUETYPE_NOT_SET ->
                    value;
        };
    }

    /** A key without a project refers to the database of its entity. */
    private static boolean sameDatabase(PartitionId left, PartitionId right) {
        return left.getProjectId().isEmpty()
                || (left.getProjectId().equals(right.getProjectId())
                        && left.getDatabaseId().equals(right.getDatabaseId()));
    }

    private Key move(Key key) {
        String in = namespace == null ? key.getPartitionId().getNamespaceId() : namespace;
        return key.toBuilder().setPartitionId(target.partition(in)).build();
    }
}
