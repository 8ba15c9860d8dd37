package petrichor.kv.jdbc;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StorePlugin;
import petrichor.kv.StoreTls;
import petrichor.kv.StoreUrl;

/** Opens {@code postgresql://user:password@host/database} and {@code mariadb://…}. */
public final class JdbcPlugin implements StorePlugin {
    /** Maximum time for a response, and for a call's wait for a connection. */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private static final int CONNECTIONS_MAX = 32;

    /**
     * Logs a warning for every error of a server, many of which are expected here. Kept in a field,
     * since an unreferenced logger loses its level.
     */
    private static final Logger MARIADB_DRIVER = Logger.getLogger("org.mariadb.jdbc");

    @Override
    public Set<String> schemes() {
        return Set.of(PostgresDialect.SCHEME, MariaDbDialect.SCHEME);
    }

    @Override
    public KeyValueStore open(StoreUrl url) {
        return open(url, true).orElseThrow();
    }

    @Override
    public Optional<KeyValueStore> openIfInitialized(StoreUrl url) {
        return open(url, false);
    }

    private static Optional<KeyValueStore> open(StoreUrl url, boolean make) {
        MARIADB_DRIVER.setLevel(Level.SEVERE);
        Duration timeout = url.duration("timeout", TIMEOUT);
        int connections = connections(url);
        SqlStore store = new SqlStore(dialect(url, timeout), url, timeout, connections);
        try {
            if (store.openSchema(make)) {
                return Optional.of(store);
            }
            store.close();
            return Optional.empty();
        } catch (PetrichorException e) {
            store.close();
            throw e;
        }
    }

    private static SqlDialect dialect(StoreUrl url, Duration timeout) {
        return switch (url.scheme()) {
            case PostgresDialect.SCHEME -> {
                url.requireOptions(StoreTls.optionsAnd(Set.of("timeout", "connections", "schema")));
                yield new PostgresDialect(url, timeout);
            }
            case MariaDbDialect.SCHEME -> {
                url.requireOptions(StoreTls.optionsAnd(Set.of("timeout", "connections")));
                yield new MariaDbDialect(url, timeout);
            }
            default ->
                    throw PetrichorException.invalid(
                            "no SQL database: {scheme}", "scheme", url.scheme());
        };
    }

    private static int connections(StoreUrl url) {
        String text = url.option("connections", String.valueOf(CONNECTIONS_MAX));
        if (!text.matches("[1-9][0-9]{0,3}")) {
            throw PetrichorException.invalid(
                    "the option 'connections' of a store's address is a number from 1 to 9999, not"
                            + " '{text}'",
                    "text",
                    text);
        }
        return Integer.parseInt(text);
    }
}
