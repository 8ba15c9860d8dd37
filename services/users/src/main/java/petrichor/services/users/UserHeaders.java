package petrichor.services.users;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Header fields with which an app learns who its user is. The router removes fields of these names
 * from requests of clients, then adds ours.
 */
public final class UserHeaders {
    public static final String EMAIL = "X-Appengine-User-Email";
    public static final String ID = "X-Appengine-User-Id";
    public static final String NICKNAME = "X-Appengine-User-Nickname";
    public static final String ORGANIZATION = "X-Appengine-User-Organization";
    public static final String IS_ADMIN = "X-Appengine-User-Is-Admin";
    public static final String AUTH_DOMAIN = "X-Appengine-Auth-Domain";

    /** All fields with this prefix, in lower case, come from the platform. */
    public static final String RESERVED_PREFIX = "x-appengine-";

    public static final Set<String> NAMES =
            Set.of(EMAIL, ID, NICKNAME, ORGANIZATION, IS_ADMIN, AUTH_DOMAIN);

    private UserHeaders() {}

    /** Whether a client's field must not reach an app. */
    public static boolean isReserved(String name) {
        return name.toLowerCase(Locale.ROOT).startsWith(RESERVED_PREFIX);
    }

    /**
     * @param user empty if the request has no session
     * @param project of the app
     * @param authDomain SDKs leave it out of nicknames
     */
    public static Map<String, String> of(
            Optional<Account> user, String project, String authDomain) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put(AUTH_DOMAIN, authDomain);
        user.ifPresent(
                account -> {
                    fields.put(EMAIL, account.email());
                    fields.put(ID, account.id());
                    fields.put(NICKNAME, nickname(account.email(), authDomain));
                    fields.put(ORGANIZATION, "");
                    fields.put(IS_ADMIN, account.roles().administers(project) ? "1" : "0");
                });
        return fields;
    }

    private static String nickname(String email, String authDomain) {
        String suffix = "@" + authDomain;
        return email.endsWith(suffix)
                ? email.substring(0, email.length() - suffix.length())
                : email;
    }
}
