package petrichor.services.xmpp;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The XMPP server of the apps.
 *
 * @param domain of the accounts of apps: {@code PROJECT@DOMAIN}. It should have no other accounts.
 * @param admin an account of the domain that may create others (XEP-0133)
 * @param authority file with the certificates of trusted authorities; empty for the system's
 */
public record XmppSettings(
        String host,
        int port,
        String domain,
        Security security,
        Login admin,
        Optional<Path> authority) {

    /** Encryption of the connection. */
    public enum Security {
        NONE,
        /** A plain connection that is upgraded; required. */
        STARTTLS
    }

    /** The password does not appear in logs. */
    public record Login(String user, String password) {
        @Override
        public String toString() {
            return "Login[user=" + user + "]";
        }
    }
}
