package petrichor.entities;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.PropertyMask;
import com.google.datastore.v1.Value;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Applies the property masks of requests. A path selects a property with everything in it; paths
 * lead through embedded entities but not into arrays. Stateless.
 */
public final class Masks {
    private static final String KEY = "__key__";

    private Masks() {}

    /** The selected part of an entity; always includes its key. */
    public static Entity selected(Entity entity, PropertyMask mask) {
        Entity.Builder selected = Entity.newBuilder().setKey(entity.getKey());
        for (PropertyPath path : paths(mask)) {
            copy(entity, selected, path);
        }
        return selected.build();
    }

    /**
     * The entity with the masked properties taken from {@code update}, or removed if missing there.
     */
    static Entity merged(Entity existing, Entity update, PropertyMask mask) {
        Entity.Builder merged = existing.toBuilder();
        for (PropertyPath path : paths(mask)) {
            remove(merged, path);
            copy(update, merged, path.requireWritable());
        }
        return merged.build();
    }

    private static List<PropertyPath> paths(PropertyMask mask) {
        List<PropertyPath> paths = new ArrayList<>();
        for (String path : mask.getPathsList()) {
            if (!path.equals(KEY)) {
                paths.add(PropertyPath.parse(path));
            }
        }
        return paths;
    }

    private static void copy(Entity from, Entity.Builder to, PropertyPath path) {
        Value value = from.getPropertiesMap().get(path.first());
        if (value == null) {
            return;
        }
        if (path.last()) {
            to.putProperties(path.first(), value);
            return;
        }
        if (!value.hasEntityValue()) {
            return;
        }
        Entity.Builder inner = embedded(to, path.first());
        if (inner == null) {
            inner = Entity.newBuilder();
            if (value.getEntityValue().hasKey()) {
                inner.setKey(value.getEntityValue().getKey());
            }
        }
        copy(value.getEntityValue(), inner, path.rest());
        to.putProperties(path.first(), value.toBuilder().setEntityValue(inner).build());
    }

    private static void remove(Entity.Builder from, PropertyPath path) {
        if (path.last()) {
            from.removeProperties(path.first());
            return;
        }
        Entity.Builder inner = embedded(from, path.first());
        if (inner != null) {
            remove(inner, path.rest());
            Value value = from.getPropertiesOrThrow(path.first());
            from.putProperties(path.first(), value.toBuilder().setEntityValue(inner).build());
        }
    }

    private static Entity.@Nullable Builder embedded(Entity.Builder entity, String property) {
        Value value = entity.getPropertiesMap().get(property);
        return value != null && value.hasEntityValue() ? value.getEntityValue().toBuilder() : null;
    }
}
