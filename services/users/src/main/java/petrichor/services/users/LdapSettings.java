package petrichor.services.users;

import java.time.Duration;

/**
 * A directory.
 *
 * @param host of the server
 * @param security encryption of the connection
 * @param base below which users are searched
 * @param attribute that contains the address, such as {@code mail}
 * @param searcher who searches; empty texts search anonymously
 */
public record LdapSettings(
        String host, int port, Security security, String base, String attribute, Bind searcher) {
    public static final Duration CONNECT_MAX = Duration.ofSeconds(5);
    public static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    /** Encryption of the connection. */
    public enum Security {
        NONE,
        TLS
    }

    /** The password does not appear in logs. */
    public record Bind(String dn, String password) {
        public static final Bind ANONYMOUS = new Bind("", "");

        @Override
        public String toString() {
            return "Bind[dn=" + dn + "]";
        }
    }
}
