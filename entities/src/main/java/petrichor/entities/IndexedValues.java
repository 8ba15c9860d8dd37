package petrichor.entities;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Value;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;

/**
 * The distinct indexed values of each property of an entity, encoded, in ascending order. Arrays
 * contribute their elements, embedded entities their properties under dotted paths, users
 * themselves as well; values excluded from indexes are omitted, including everything nested in
 * them.
 */
public final class IndexedValues {
    private final Map<String, Set<Bytes>> values = new LinkedHashMap<>();
    private int count;

    private IndexedValues() {}

    public static IndexedValues of(Entity entity) {
        IndexedValues indexed = new IndexedValues();
        indexed.addProperties("", entity);
        return indexed;
    }

    /** The values of the given properties only, including those embedded in them. */
    static IndexedValues of(Entity entity, Set<String> properties) {
        IndexedValues indexed = new IndexedValues();
        for (String property : properties) {
            Value value = entity.getPropertiesMap().get(property);
            if (value != null) {
                indexed.add(property, value);
            }
        }
        return indexed;
    }

    /** INVALID_ARGUMENT if the entity has more indexed values than the limit allows. */
    static void requireFew(Entity entity) {
        // Counts with repetitions first, which is cheap; counts distinct values only if these are
        // too many.
        if (countOf(entity) > Limits.INDEXED_VALUES_MAX) {
            of(entity);
        }
    }

    private static int countOf(Entity entity) {
        int sum = 0;
        for (Value value : entity.getPropertiesMap().values()) {
            sum += countOf(value);
        }
        return sum;
    }

    private static int countOf(Value value) {
        if (value.getExcludeFromIndexes()) {
            return 0;
        }
        if (value.hasArrayValue()) {
            int sum = 0;
            for (Value element : value.getArrayValue().getValuesList()) {
                sum += countOf(element);
            }
            return sum;
        }
        int own = ValueCodec.ordered(value) ? 1 : 0;
        return value.hasEntityValue() ? own + countOf(value.getEntityValue()) : own;
    }

    public Map<String, Set<Bytes>> all() {
        return values;
    }

    public Collection<Bytes> of(String property) {
        return values.getOrDefault(property, Set.of());
    }

    private void addProperties(String prefix, Entity entity) {
        for (Map.Entry<String, Value> property : entity.getPropertiesMap().entrySet()) {
            add(prefix + property.getKey(), property.getValue());
        }
    }

    private void add(String property, Value value) {
        if (value.getExcludeFromIndexes()) {
            return;
        }
        switch (value.getValueTypeCase()) {
            case ARRAY_VALUE -> {
                for (Value element : value.getArrayValue().getValuesList()) {
                    add(property, element);
                }
            }
            case ENTITY_VALUE -> {
                addProperties(property + ".", value.getEntityValue());
                if (UserValues.isUser(value)) {
                    addEncoded(property, value);
                }
            }
            case NULL_VALUE,
                    VALUETYPE_NOT_SET,
                    INTEGER_VALUE,
                    TIMESTAMP_VALUE,
                    BOOLEAN_VALUE,
                    STRING_VALUE,
                    BLOB_VALUE,
                    DOUBLE_VALUE,
                    GEO_POINT_VALUE,
                    KEY_VALUE ->
                    addEncoded(property, value);
        }
    }

    private void addEncoded(String property, Value value) {
        Bytes encoded = Bytes.of(ValueCodec.encode(value, SortOrder.ASCENDING));
        boolean isNew = values.computeIfAbsent(property, _ -> new LinkedHashSet<>(2)).add(encoded);
        if (isNew && ++count > Limits.INDEXED_VALUES_MAX) {
            throw PetrichorException.invalid(
                    "The entity has more than "
                            + Limits.INDEXED_VALUES_MAX
                            + " indexed values; exclude some from indexes.");
        }
    }
}
