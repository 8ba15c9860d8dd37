package petrichor.services.mail;

import java.time.Duration;
import java.util.Optional;

/**
 * The SMTP server that sends mails.
 *
 * @param login empty if the server needs none
 */
public record SmtpSettings(String host, int port, Security security, Optional<Login> login) {
    public static final Duration CONNECT_MAX = Duration.ofSeconds(10);

    /** Of one read or write. */
    public static final Duration ANSWER_MAX = Duration.ofMinutes(1);

    /** Encryption of the connection. */
    public enum Security {
        NONE,
        /** A plain connection that is upgraded; required. */
        STARTTLS,
        TLS
    }

    /** The password does not appear in logs. */
    public record Login(String user, String password) {
        @Override
        public String toString() {
            return "Login[user=" + user + "]";
        }
    }
}
