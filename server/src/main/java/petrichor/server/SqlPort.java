package petrichor.server;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.postgres.Logins;
import petrichor.frontends.postgres.PostgresFrontEnd;
import petrichor.frontends.postgres.PostgresSettings;
import petrichor.frontends.postgres.ScramVerifier;
import petrichor.sql.SqlDatabase;
import petrichor.transactions.Databases;

/**
 * SQL over the databases of this server, for PostgreSQL's clients. The name of a database is that
 * of a project, or PROJECT/DATABASE. The password of any user is the single token of the server.
 * Thread-safe.
 */
final class SqlPort implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SqlPort.class);
    private static final int DATABASES_MAX = 1_000;

    private final Supplier<Data> data;
    private final @Nullable ScramVerifier password;
    private final Map<String, SqlDatabase> databases = new LinkedHashMap<>();
    private @Nullable Databases of;
    private @Nullable PostgresFrontEnd frontEnd;

    private SqlPort(Supplier<Data> data, @Nullable ScramVerifier password) {
        this.data = data;
        this.password = password;
    }

    /** Empty if {@code sql.port} is 0. */
    static Optional<SqlPort> open(ServerConfig config, Supplier<Data> data) {
        if (config.server().sqlPort() == 0) {
            return Optional.empty();
        }
        Optional<String> token = ConfiguredTokens.single(config.auth());
        if (config.auth().required() && token.isEmpty()) {
            throw PetrichorException.invalid(
                    "sql.port needs auth.token or auth.token-file: tokens with roles are not"
                            + " accepted over SQL; set one of them, or set sql.port to 0");
        }
        SqlPort opened = new SqlPort(data, token.map(ScramVerifier::of).orElse(null));
        opened.listen(
                PostgresSettings.plain(
                        ListenAddress.of(config).getFirst().getHostAddress(),
                        config.server().sqlPort()));
        return Optional.of(opened);
    }

    private void listen(PostgresSettings settings) {
        PostgresFrontEnd listening =
                PostgresFrontEnd.open(
                        settings,
                        new Logins() {
                            @Override
                            public boolean passwords() {
                                return password != null;
                            }

                            @Override
                            public @Nullable ScramVerifier verifier(String user) {
                                return password;
                            }

                            @Override
                            public @Nullable SqlDatabase database(String user, String name) {
                                return opened(name);
                            }
                        });
        frontEnd = listening;
        LOG.info("SQL: postgresql://{}:{}/PROJECT", settings.host(), listening.port());
    }

    int port() {
        PostgresFrontEnd listening = frontEnd;
        return listening == null ? 0 : listening.port();
    }

    private synchronized @Nullable SqlDatabase opened(String name) {
        Databases current = data.get().served();
        if (!current.equals(of)) {
            databases.clear(); // the former data is closed
            of = current;
        }
        SqlDatabase known = databases.get(name);
        if (known == null) {
            if (databases.size() >= DATABASES_MAX) {
                return null;
            }
            DatabaseId id = DatabaseId.of(name);
            known =
                    SqlDatabase.open(
                            current.open(EntityDatabases.name(id.project(), id.database())));
            databases.put(name, known);
        }
        return known;
    }

    @Override
    public void close() {
        PostgresFrontEnd listening = frontEnd;
        if (listening != null) {
            listening.close();
        }
        synchronized (this) {
            databases.values().forEach(SqlDatabase::close);
            databases.clear();
        }
    }
}
