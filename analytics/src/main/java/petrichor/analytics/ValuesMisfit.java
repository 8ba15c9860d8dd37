package petrichor.analytics;

import java.util.Map;
import petrichor.sql.entities.PropertyType;

/** A load found values of a kind that the types of its columns cannot show. */
final class ValuesMisfit extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Map<String, PropertyType> types;

    /**
     * @param types that the columns of these properties need
     */
    ValuesMisfit(Map<String, PropertyType> types) {
        super("values of further types: " + types.keySet());
        this.types = Map.copyOf(types);
    }

    Map<String, PropertyType> types() {
        return types;
    }
}
