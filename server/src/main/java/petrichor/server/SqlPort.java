package petrichor.server;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.analytics.Analytics;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.access.AccessTokens;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Role;
import petrichor.frontends.postgres.Logins;
import petrichor.frontends.postgres.PostgresFrontEnd;
import petrichor.frontends.postgres.PostgresSettings;
import petrichor.frontends.postgres.ScramVerifier;
import petrichor.server.config.ListenAddress;
import petrichor.server.config.ServerConfig;
import petrichor.server.data.Data;
import petrichor.server.data.DatabaseId;
import petrichor.server.tokens.ConfiguredTokens;
import petrichor.sql.SqlDatabase;
import petrichor.sql.SqlRights;
import petrichor.transactions.Databases;

/**
 * SQL over the databases of this server, for PostgreSQL's clients. The name of a database is that
 * of a project, or PROJECT/DATABASE. The password of any user is a token: the single one of the
 * server, or over TLS any other one, whose role and scope apply. Thread-safe.
 */
final class SqlPort implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SqlPort.class);
    private static final int DATABASES_MAX = 1_000;

    private final Supplier<Data> data;
    private final Supplier<AccessTokens> tokens;
    private final @Nullable ScramVerifier password;
    private final boolean required;
    private final Map<String, SqlDatabase> databases = new LinkedHashMap<>();
    private final @Nullable Analytics analytics;
    private @Nullable Databases of;
    private @Nullable PostgresFrontEnd frontEnd;

    private SqlPort(
            Supplier<Data> data,
            Supplier<AccessTokens> tokens,
            @Nullable ScramVerifier password,
            boolean required,
            @Nullable Analytics analytics) {
        this.data = data;
        this.tokens = tokens;
        this.password = password;
        this.required = required;
        this.analytics = analytics;
    }

    /**
     * Empty if {@code sql.port} is 0.
     *
     * @param tokens as they are now
     */
    static Optional<SqlPort> open(
            ServerConfig config, Supplier<Data> data, Supplier<AccessTokens> tokens) {
        if (config.server().sqlPort() == 0) {
            return Optional.empty();
        }
        Optional<String> token = ConfiguredTokens.single(config.auth());
        boolean required = config.auth().required();
        boolean secure = config.tls().isPresent();
        if (required && token.isEmpty() && !secure) {
            throw PetrichorException.invalid(
                    "sql.port needs TLS (tls.certificate, tls.key) for tokens with roles, or"
                            + " auth.token or auth.token-file; set one of them, or set sql.port to"
                            + " 0");
        }
        SqlPort opened =
                new SqlPort(
                        data,
                        tokens,
                        token.map(ScramVerifier::of).orElse(null),
                        required,
                        AnalyticsFolder.analytics(config).orElse(null));
        String host = ListenAddress.of(config).getFirst().getHostAddress();
        boolean local = ListenAddress.of(config).stream().allMatch(InetAddress::isLoopbackAddress);
        opened.listen(
                PostgresSettings.plain(host, config.server().sqlPort())
                        .with(
                                config.tls().map(SqlCertificate::read).orElse(null),
                                secure && (!local || token.isEmpty())));
        return Optional.of(opened);
    }

    private void listen(PostgresSettings settings) {
        PostgresFrontEnd listening = PostgresFrontEnd.open(settings, new TokenLogins());
        frontEnd = listening;
        LOG.info("SQL: postgresql://{}:{}/PROJECT", settings.host(), listening.port());
    }

    /** The password is a token; the name of the user is free. */
    private final class TokenLogins implements Logins {
        @Override
        public boolean passwords() {
            return required;
        }

        @Override
        public boolean passwordsOverTls() {
            return true;
        }

        @Override
        public @Nullable ScramVerifier verifier(String user) {
            return password;
        }

        @Override
        public Admission admit(String user, @Nullable String token, String name) {
            Caller caller = Caller.ANYONE;
            if (token != null) {
                try {
                    caller = tokens.get().caller("Bearer " + token);
                } catch (PetrichorException unknown) {
                    return new Admission.WrongPassword();
                }
            }
            SqlRights rights = rights(caller.role());
            DatabaseId id = DatabaseId.of(name);
            boolean permitted =
                    rights != null && caller.scope().includes(id.project(), id.database());
            SqlDatabase database = permitted ? opened(name) : null;
            return database == null || rights == null
                    ? new Admission.NoDatabase()
                    : new Admission.Admitted(database, rights);
        }
    }

    /** Null without access to data. */
    private static @Nullable SqlRights rights(Role role) {
        return switch (role) {
            case VIEW, DEPLOY -> null;
            case READ -> SqlRights.READ;
            case WRITE -> SqlRights.WRITE;
            case ADMIN -> SqlRights.DEFINE;
        };
    }

    int port() {
        PostgresFrontEnd listening = frontEnd;
        return listening == null ? 0 : listening.port();
    }

    private synchronized @Nullable SqlDatabase opened(String name) {
        Databases current = data.get().routed();
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
                            current.open(EntityDatabases.name(id.project(), id.database())),
                            analytics);
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
        Analytics engine = analytics;
        if (engine != null) {
            engine.close();
        }
    }
}
