package petrichor.tables;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The catalog at one version; immutable.
 *
 * @param version increases with each change of the schema; 0 before the first
 * @param nextId the next id of a table, index or sequence
 * @param objects by id
 */
public record CatalogImage(long version, int nextId, Map<Integer, CatalogObject> objects) {
    /** Ids below are those of the catalog itself. */
    static final int FIRST_ID = 16;

    public static final CatalogImage EMPTY = new CatalogImage(0, FIRST_ID, Map.of());

    public CatalogImage {
        objects = java.util.Collections.unmodifiableMap(new TreeMap<>(objects));
    }

    public List<StoredTable> tables() {
        return objects.values().stream()
                .map(CatalogObject::table)
                .filter(java.util.Objects::nonNull)
                .toList();
    }

    public @Nullable StoredTable table(int id) {
        for (CatalogObject object : objects.values()) {
            StoredTable table = object.table();
            if (table != null && table.id() == id) {
                return table;
            }
        }
        return null;
    }
}
