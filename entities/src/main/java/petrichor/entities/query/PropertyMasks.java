package petrichor.entities.query;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.PropertyMask;
import com.google.datastore.v1.Value;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityHit;

/** Cuts entities down to the properties that a mask names. Stateless. */
final class PropertyMasks {
    private PropertyMasks() {}

    static List<EntityHit> apply(PropertyMask mask, List<EntityHit> hits) {
        List<EntityHit> masked = new ArrayList<>(hits.size());
        for (EntityHit hit : hits) {
            Entity entity = masked(parse(hit.entity()), mask.getPathsList());
            masked.add(
                    new EntityHit(
                            entity.toByteArray(),
                            hit.version(),
                            hit.createTime(),
                            hit.updateTime(),
                            hit.cursor()));
        }
        return masked;
    }

    private static Entity parse(byte[] bytes) {
        try {
            return Entity.parseFrom(bytes);
        } catch (InvalidProtocolBufferException damaged) {
            throw new PetrichorException(
                    ErrorCode.INTERNAL, "A stored entity is damaged.", Map.of(), damaged);
        }
    }

    private static Entity masked(Entity entity, List<String> paths) {
        Entity.Builder kept = entity.toBuilder().clearProperties();
        entity.getPropertiesMap()
                .forEach(
                        (name, value) -> {
                            if (paths.contains(name)) {
                                kept.putProperties(name, value);
                                return;
                            }
                            List<String> inner =
                                    paths.stream()
                                            .filter(path -> path.startsWith(name + "."))
                                            .map(path -> path.substring(name.length() + 1))
                                            .toList();
                            if (!inner.isEmpty() && value.hasEntityValue()) {
                                Entity embedded = masked(value.getEntityValue(), inner);
                                kept.putProperties(
                                        name,
                                        Value.newBuilder(value).setEntityValue(embedded).build());
                            }
                        });
        return kept.build();
    }
}
