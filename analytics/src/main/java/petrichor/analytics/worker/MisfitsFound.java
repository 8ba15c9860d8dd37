package petrichor.analytics.worker;

import java.sql.SQLException;
import java.util.Map;
import petrichor.sql.entities.PropertyType;

/** A load found values that the types of their columns cannot show. */
final class MisfitsFound extends SQLException {
    private static final long serialVersionUID = 1L;

    private final transient Map<String, PropertyType> types;

    MisfitsFound(Map<String, PropertyType> types) {
        super("values of further types");
        this.types = Map.copyOf(types);
    }

    Map<String, PropertyType> types() {
        return types;
    }
}
