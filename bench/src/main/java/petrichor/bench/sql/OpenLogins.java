package petrichor.bench.sql;

import org.jspecify.annotations.Nullable;
import petrichor.frontends.postgres.Logins;
import petrichor.frontends.postgres.ScramVerifier;
import petrichor.sql.SqlDatabase;
import petrichor.sql.SqlRights;

/** Every user, without a password, with all rights in one database. */
public record OpenLogins(SqlDatabase database) implements Logins {
    @Override
    public boolean passwords() {
        return false;
    }

    @Override
    public @Nullable ScramVerifier verifier(String user) {
        return null;
    }

    @Override
    public boolean passwordsOverTls() {
        return false;
    }

    @Override
    public Admission admit(String user, @Nullable String password, String name) {
        return new Admission.Admitted(database, SqlRights.DEFINE);
    }
}
