package petrichor.sql.catalog;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What functions of the system catalogs know: the objects by number, and the session that asks.
 * Immutable, except that a session may change its settings.
 */
record CatalogState(Objects objects, SessionView session) {
    /** The running query's. */
    static final ScopedValue<CatalogState> CURRENT = ScopedValue.newInstance();

    /**
     * Definitions by number.
     *
     * @param indexes the definition, then the name of each column
     * @param comments by number and column, separated by a colon
     */
    record Objects(
            TypeNames types,
            Map<Long, CatalogRows.Named> relations,
            Map<Long, String> constraints,
            Map<Long, List<String>> indexes,
            Map<Long, String> views,
            Map<String, String> comments,
            Map<String, Long> schemas) {

        CatalogRows.@Nullable Named relation(List<String> path, String name) {
            for (String schema : path) {
                for (CatalogRows.Named named : relations.values()) {
                    if (named.schema().equals(schema) && named.name().equals(name)) {
                        return named;
                    }
                }
            }
            return null;
        }

        @Nullable String schema(long oid) {
            for (Map.Entry<String, Long> entry : schemas.entrySet()) {
                if (entry.getValue() == oid) {
                    return entry.getKey();
                }
            }
            return null;
        }
    }
}
