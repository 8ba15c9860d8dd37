package petrichor.testing.dialect;

import org.jspecify.annotations.Nullable;
import petrichor.frontends.postgres.Logins;
import petrichor.frontends.postgres.PostgresFrontEnd;
import petrichor.frontends.postgres.PostgresSettings;
import petrichor.frontends.postgres.ScramVerifier;
import petrichor.kv.memory.MemoryStore;
import petrichor.sql.SqlDatabase;
import petrichor.sql.SqlRights;
import petrichor.transactions.databases.RowDatabases;

/** Our SQL over one empty database in memory, on a port of the loopback interface. */
final class MemorySql implements AutoCloseable {
    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final SqlDatabase database = SqlDatabase.open(rows.open("regression"));
    private final PostgresFrontEnd frontEnd =
            PostgresFrontEnd.open(PostgresSettings.plain("127.0.0.1", 0), new Open());

    private final class Open implements Logins {
        @Override
        public boolean passwords() {
            return false;
        }

        @Override
        public boolean passwordsOverTls() {
            return false;
        }

        @Override
        public @Nullable ScramVerifier verifier(String user) {
            return null;
        }

        @Override
        public Admission admit(String user, @Nullable String password, String name) {
            return new Admission.Admitted(database, SqlRights.DEFINE);
        }
    }

    String url() {
        return "postgresql://petrichor@127.0.0.1:" + frontEnd.port() + "/regression";
    }

    @Override
    public void close() {
        frontEnd.close();
        database.close();
        rows.close();
        store.close();
    }
}
