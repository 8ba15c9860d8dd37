package petrichor.frontends.postgres;

import org.jspecify.annotations.Nullable;
import petrichor.sql.SqlDatabase;
import petrichor.sql.SqlRights;

/** Who may connect, to which databases, and with which rights. Thread-safe. */
public interface Logins {
    /** Whether users need a password. */
    boolean passwords();

    /**
     * Whether clients send their password itself over TLS, which is then passed to {@link #admit};
     * otherwise, and always without TLS, they prove with SCRAM that they know it.
     */
    boolean passwordsOverTls();

    /** What verifies the password of a user; null if there is no such user. */
    @Nullable ScramVerifier verifier(String user);

    /**
     * @param password null if SCRAM has verified it, or none is needed
     * @param database as the client names it
     */
    Admission admit(String user, @Nullable String password, String database);

    /** Outcome of a login. */
    sealed interface Admission {
        record Admitted(SqlDatabase database, SqlRights rights) implements Admission {}

        record WrongPassword() implements Admission {}

        /** It does not exist, or the user may not use it. */
        record NoDatabase() implements Admission {}
    }
}
