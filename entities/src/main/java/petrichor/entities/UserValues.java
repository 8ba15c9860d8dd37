package petrichor.entities;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Value;

/**
 * App Engine's user values, which google.datastore.v1 represents as embedded entities of a certain
 * meaning. Unlike other embedded entities they are ordered, between points and keys: by email
 * address, then by authentication domain. Stateless.
 */
public final class UserValues {
    /** Distinguishes a user from other embedded entities. */
    public static final int MEANING = 20;

    public static final String EMAIL = "email";
    public static final String AUTH_DOMAIN = "auth_domain";

    private UserValues() {}

    public static boolean isUser(Value value) {
        return value.hasEntityValue() && value.getMeaning() == MEANING;
    }

    static String email(Value user) {
        return text(user, EMAIL);
    }

    static String authDomain(Value user) {
        return text(user, AUTH_DOMAIN);
    }

    /** A user as an index contains it. */
    static Value of(String email, String authDomain) {
        return Value.newBuilder()
                .setEntityValue(
                        Entity.newBuilder()
                                .putProperties(EMAIL, unindexed(email))
                                .putProperties(AUTH_DOMAIN, unindexed(authDomain)))
                .setMeaning(MEANING)
                .build();
    }

    private static String text(Value user, String property) {
        return user.getEntityValue()
                .getPropertiesOrDefault(property, Value.getDefaultInstance())
                .getStringValue();
    }

    private static Value unindexed(String text) {
        return Value.newBuilder().setStringValue(text).setExcludeFromIndexes(true).build();
    }
}
