package petrichor.entities.query;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Value;
import org.jspecify.annotations.Nullable;

/** Names of properties with dots, which lead into embedded entities. Stateless. */
final class PropertyPaths {
    private PropertyPaths() {}

    /** A property of this very name comes before an embedded one. */
    static @Nullable Value find(Entity entity, String path) {
        Value value = entity.getPropertiesMap().get(path);
        int dot = path.indexOf('.');
        while (value == null && dot > 0) {
            Value embedded = entity.getPropertiesMap().get(path.substring(0, dot));
            if (embedded != null && embedded.hasEntityValue()) {
                value = find(embedded.getEntityValue(), path.substring(dot + 1));
            }
            dot = path.indexOf('.', dot + 1);
        }
        return value;
    }
}
