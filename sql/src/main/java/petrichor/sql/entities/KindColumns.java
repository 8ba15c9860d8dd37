package petrichor.sql.entities;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The properties of a kind that are columns, by name, as found in some of its entities and in its
 * indexes.
 *
 * @param complete false if the kind has more properties than columns
 */
public record KindColumns(SortedMap<String, Property> properties, boolean complete) {
    /** Further properties are in the JSON of the entity only. */
    static final int PROPERTIES_MAX = 500;

    /**
     * A property.
     *
     * @param indexed whether an entity that was read indexes it
     */
    public record Property(String name, PropertyType type, boolean indexed) {}

    public KindColumns {
        properties = new TreeMap<>(properties);
    }

    static KindColumns of(Map<String, PropertyType> types, Set<String> indexed) {
        SortedMap<String, Property> properties = new TreeMap<>();
        for (Map.Entry<String, PropertyType> type : new TreeMap<>(types).entrySet()) {
            String name = type.getKey();
            if (properties.size() < PROPERTIES_MAX) {
                properties.put(name, new Property(name, type.getValue(), indexed.contains(name)));
            }
        }
        return new KindColumns(properties, properties.size() == types.size());
    }

    public List<Property> list() {
        return List.copyOf(properties.values());
    }
}
