package petrichor.frontends.postgres;

import org.jspecify.annotations.Nullable;
import petrichor.sql.SqlDatabase;

/** Who may connect, and to which databases. Thread-safe. */
public interface Logins {
    /** Whether users need a password. */
    boolean passwords();

    /** What verifies the password of a user; null if there is no such user. */
    @Nullable ScramVerifier verifier(String user);

    /** A database; null if it does not exist or the user may not use it. */
    @Nullable SqlDatabase database(String user, String name);
}
