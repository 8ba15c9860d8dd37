package petrichor.frontends.postgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import petrichor.kv.memory.MemoryStore;
import petrichor.sql.SqlDatabase;
import petrichor.sql.SqlRights;
import petrichor.transactions.databases.RowDatabases;

/** A front end over one database in memory, "shop", with the user "ada". */
final class SqlServer implements AutoCloseable {
    static final String USER = "ada";
    static final String PASSWORD = "pencil";

    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final SqlDatabase database = SqlDatabase.open(rows.open("shop"));
    private final PostgresFrontEnd frontEnd;

    SqlServer(PostgresSettings settings, boolean passwords) {
        Map<String, ScramVerifier> users = Map.of(USER, ScramVerifier.of(PASSWORD));
        frontEnd =
                PostgresFrontEnd.open(
                        settings,
                        new Logins() {
                            @Override
                            public boolean passwords() {
                                return passwords;
                            }

                            @Override
                            public @Nullable ScramVerifier verifier(String user) {
                                return users.get(user);
                            }

                            @Override
                            public boolean passwordsOverTls() {
                                return false;
                            }

                            @Override
                            public Admission admit(
                                    String user, @Nullable String password, String name) {
                                return name.equals("shop")
                                        ? new Admission.Admitted(database, SqlRights.DEFINE)
                                        : new Admission.NoDatabase();
                            }
                        });
    }

    SqlServer() {
        this(PostgresSettings.plain("127.0.0.1", 0), true);
    }

    int port() {
        return frontEnd.port();
    }

    String url() {
        return "jdbc:postgresql://127.0.0.1:" + port() + "/shop";
    }

    Connection connect(String... properties) throws SQLException {
        Properties all = new Properties();
        all.setProperty("user", USER);
        all.setProperty("password", PASSWORD);
        for (int i = 0; i < properties.length; i += 2) {
            all.setProperty(properties[i], properties[i + 1]);
        }
        return DriverManager.getConnection(url(), all);
    }

    @Override
    public void close() {
        frontEnd.close();
        database.close();
        rows.close();
        store.close();
    }
}
