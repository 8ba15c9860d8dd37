package petrichor.entities.query;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Value;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import petrichor.base.Bytes;
import petrichor.entities.SortOrder;
import petrichor.entities.ValueCodec;

/** The values under which indexes know an entity, by property path, in ascending encoding. */
record IndexedValues(Map<String, Set<Bytes>> byProperty) {

    static IndexedValues of(Entity entity) {
        Map<String, Set<Bytes>> all = new HashMap<>();
        collect(entity, "", all);
        return new IndexedValues(all);
    }

    Set<Bytes> of(String property) {
        return byProperty.getOrDefault(property, Set.of());
    }

    private static void collect(Entity entity, String prefix, Map<String, Set<Bytes>> all) {
        entity.getPropertiesMap().forEach((name, value) -> collect(prefix + name, value, all));
    }

    private static void collect(String property, Value value, Map<String, Set<Bytes>> all) {
        if (value.getExcludeFromIndexes()) {
            return;
        }
        if (value.hasArrayValue()) {
            value.getArrayValue()
                    .getValuesList()
                    .forEach(element -> collect(property, element, all));
        } else if (value.hasEntityValue()) {
            collect(value.getEntityValue(), property + ".", all);
        } else {
            all.computeIfAbsent(property, _ -> new TreeSet<>())
                    .add(Bytes.of(ValueCodec.encode(value, SortOrder.ASCENDING)));
        }
    }
}
