package petrichor.services.users;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * An OpenID provider.
 *
 * @param issuer whose configuration is at {@code /.well-known/openid-configuration}
 * @param domains of addresses that may sign in; empty for all
 */
public record OpenIdSettings(
        URI issuer, String clientId, String clientSecret, List<String> domains) {
    public static final Duration CONNECT_MAX = Duration.ofSeconds(5);
    public static final Duration ANSWER_MAX = Duration.ofSeconds(10);
    public static final int ANSWER_BYTES_MAX = 1 << 20;

    /** Between the redirect to the provider and the user's return. */
    public static final Duration SIGN_IN_MAX = Duration.ofMinutes(10);

    public OpenIdSettings {
        domains = domains.stream().map(one -> one.toLowerCase(Locale.ROOT)).toList();
    }

    boolean permits(String email) {
        return domains.isEmpty()
                || domains.contains(
                        email.substring(email.lastIndexOf('@') + 1).toLowerCase(Locale.ROOT));
    }

    /** The secret does not appear in logs. */
    @Override
    public String toString() {
        return "OpenIdSettings[issuer=" + issuer + ", clientId=" + clientId + "]";
    }
}
