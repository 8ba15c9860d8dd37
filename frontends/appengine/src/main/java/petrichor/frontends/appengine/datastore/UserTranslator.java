package petrichor.frontends.appengine.datastore;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Value;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.PropertyValue.UserValue;
import petrichor.entities.UserValues;

/** Translates user values, which in v1 are embedded entities. Stateless. */
final class UserTranslator {
    private static final String USER_ID = "user_id";
    private static final String INTERNAL_ID = "internal_id";
    private static final String FEDERATED_IDENTITY = "federated_identity";
    private static final String FEDERATED_PROVIDER = "federated_provider";

    private UserTranslator() {}

    static Entity toV1(UserValue user) {
        Entity.Builder entity =
                Entity.newBuilder()
                        .putProperties(UserValues.EMAIL, unindexed(user.getEmail()))
                        .putProperties(UserValues.AUTH_DOMAIN, unindexed(user.getAuthDomain()));
        if (user.getGaiaid() != 0) {
            entity.putProperties(
                    INTERNAL_ID,
                    Value.newBuilder()
                            .setIntegerValue(user.getGaiaid())
                            .setExcludeFromIndexes(true)
                            .build());
        }
        if (user.hasObfuscatedGaiaid()) {
            entity.putProperties(USER_ID, unindexed(user.getObfuscatedGaiaid()));
        }
        if (user.hasFederatedIdentity()) {
            entity.putProperties(FEDERATED_IDENTITY, unindexed(user.getFederatedIdentity()));
        }
        if (user.hasFederatedProvider()) {
            entity.putProperties(FEDERATED_PROVIDER, unindexed(user.getFederatedProvider()));
        }
        return entity.build();
    }

    private static Value unindexed(String text) {
        return Value.newBuilder().setStringValue(text).setExcludeFromIndexes(true).build();
    }

    static UserValue toV3(Entity entity) {
        UserValue.Builder user =
                UserValue.newBuilder()
                        .setEmail(of(entity, UserValues.EMAIL).getStringValue())
                        .setAuthDomain(of(entity, UserValues.AUTH_DOMAIN).getStringValue())
                        .setGaiaid(of(entity, INTERNAL_ID).getIntegerValue());
        if (entity.containsProperties(USER_ID)) {
            user.setObfuscatedGaiaid(of(entity, USER_ID).getStringValue());
        }
        if (entity.containsProperties(FEDERATED_IDENTITY)) {
            user.setFederatedIdentity(of(entity, FEDERATED_IDENTITY).getStringValue());
        }
        if (entity.containsProperties(FEDERATED_PROVIDER)) {
            user.setFederatedProvider(of(entity, FEDERATED_PROVIDER).getStringValue());
        }
        return user.build();
    }

    private static Value of(Entity entity, String property) {
        return entity.getPropertiesOrDefault(property, Value.getDefaultInstance());
    }
}
