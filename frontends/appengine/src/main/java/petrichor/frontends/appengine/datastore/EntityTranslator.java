package petrichor.frontends.appengine.datastore;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Value;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.EntityProto;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Path;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Property;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Property.Meaning;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Translates entities between the two APIs for one app, by the rules of Google's SDKs: a v3 entity
 * lists its indexed properties and its raw (unindexed) ones, with one entry for each element of an
 * array; a v1 entity has one value per name. Immutable.
 */
final class EntityTranslator {
    private final KeyTranslator keys;
    private final PropertyTranslator properties;

    EntityTranslator(AppId app) {
        this.keys = new KeyTranslator(app);
        this.properties = new PropertyTranslator(app, this);
    }

    KeyTranslator keys() {
        return keys;
    }

    PropertyTranslator properties() {
        return properties;
    }

    /** Without the key, which the caller checks. */
    Entity.Builder toV1(EntityProto entity) {
        return toV1(entity, 0);
    }

    Entity embeddedToV1(EntityProto entity, int depth) {
        Entity.Builder embedded = toV1(entity, depth);
        if (!entity.getKey().getApp().isEmpty()) {
            embedded.setKey(keys.toV1(entity.getKey()));
        }
        return embedded.build();
    }

    private Entity.Builder toV1(EntityProto entity, int depth) {
        Map<String, Value> values = new LinkedHashMap<>();
        Map<String, ArrayValue.Builder> arrays = new HashMap<>();
        collect(entity.getPropertyList(), true, depth, values, arrays);
        collect(entity.getRawPropertyList(), false, depth, values, arrays);
        arrays.forEach(
                (name, array) -> values.put(name, Value.newBuilder().setArrayValue(array).build()));
        return Entity.newBuilder().putAllProperties(values);
    }

    /** The first element of an array determines its place among the properties. */
    private void collect(
            List<Property> given,
            boolean indexed,
            int depth,
            Map<String, Value> values,
            Map<String, ArrayValue.Builder> arrays) {
        for (Property property : given) {
            Value value = properties.toV1(property, indexed, depth);
            if (property.getMultiple()) {
                values.putIfAbsent(property.getName(), value);
                arrays.computeIfAbsent(property.getName(), _ -> ArrayValue.newBuilder())
                        .addValues(value);
            } else {
                arrays.remove(property.getName());
                values.put(property.getName(), value);
            }
        }
    }

    /** A stored or an embedded entity. */
    EntityProto toV3(Entity entity) {
        return builder(entity).setEntityGroup(KeyTranslator.group(entity.getKey())).build();
    }

    /** A result of a query for keys. */
    EntityProto keyToV3(Entity entity) {
        return EntityProto.newBuilder()
                .setKey(keys.toV3(entity.getKey()))
                .setEntityGroup(Path.getDefaultInstance())
                .build();
    }

    /** A result of a projection query: its values come from an index. */
    EntityProto projectionToV3(Entity entity) {
        EntityProto.Builder result =
                EntityProto.newBuilder()
                        .setKey(keys.toV3(entity.getKey()))
                        .setEntityGroup(Path.getDefaultInstance());
        entity.getPropertiesMap()
                .forEach(
                        (name, value) ->
                                result.addProperty(
                                        properties.toV3(name, value, false).toBuilder()
                                                .setMeaning(Meaning.INDEX_VALUE)));
        return result.build();
    }

    private EntityProto.Builder builder(Entity entity) {
        EntityProto.Builder result = EntityProto.newBuilder().setKey(keys.toV3(entity.getKey()));
        entity.getPropertiesMap()
                .forEach(
                        (name, value) -> {
                            if (!value.hasArrayValue()
                                    || value.getArrayValue().getValuesCount() == 0) {
                                add(result, name, value, false);
                                return;
                            }
                            for (Value element : value.getArrayValue().getValuesList()) {
                                add(result, name, element, true);
                            }
                        });
        return result;
    }

    private void add(EntityProto.Builder entity, String name, Value value, boolean multiple) {
        Property property = properties.toV3(name, value, multiple);
        if (value.getExcludeFromIndexes()) {
            entity.addRawProperty(property);
        } else {
            entity.addProperty(property);
        }
    }

    static Entity parse(byte[] serialized) {
        try {
            return Entity.parseFrom(serialized);
        } catch (InvalidProtocolBufferException e) {
            throw PetrichorException.of(ErrorCode.INTERNAL, e, "A stored entity is damaged.");
        }
    }
}
