package petrichor.bench.drivers.stores;

import java.time.Duration;
import java.util.Set;
import petrichor.base.PetrichorException;
import petrichor.bench.drivers.RawRows;
import petrichor.bench.drivers.RawRowsProvider;
import petrichor.kv.StoreUrl;

/** Opens the bare drivers. */
public final class BareDrivers implements RawRowsProvider {
    private static final String CASSANDRA = "cassandra";
    private static final String HBASE = "hbase";
    private static final String MARIADB = "mariadb";
    private static final String MONGODB = "mongodb";
    private static final String POSTGRESQL = "postgresql";
    private static final String REDIS = "redis";

    /** Longest wait for a response or a connection; the plugins' default, too. */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** The keyspace, namespace, database or prefix of an address without one. */
    private static final String NAME = "petrichor";

    @Override
    public Set<String> schemes() {
        return Set.of(CASSANDRA, HBASE, MARIADB, MONGODB, POSTGRESQL, REDIS);
    }

    @Override
    public RawRows open(StoreUrl url) {
        if (url.option("tls", "off").equals("on")) {
            throw PetrichorException.invalid(
                    "the bare driver of {url} is measured without TLS only; remove the tls options"
                            + " from the address",
                    "url",
                    url);
        }
        return switch (url.scheme()) {
            case CASSANDRA -> CassandraRawRows.open(url);
            case HBASE -> HBaseRawRows.open(url);
            case MARIADB -> JdbcRawRows.openMariaDb(url);
            case MONGODB -> MongoRawRows.open(url);
            case POSTGRESQL -> JdbcRawRows.openPostgres(url);
            case REDIS -> RedisRawRows.open(url);
            default ->
                    throw PetrichorException.invalid(
                            "there is no bare driver for {url}", "url", url);
        };
    }

    static Duration timeout(StoreUrl url) {
        return url.duration("timeout", TIMEOUT);
    }

    static int timeoutMs(StoreUrl url) {
        return Math.toIntExact(timeout(url).toMillis());
    }

    static String name(StoreUrl url) {
        return url.name().isEmpty() ? NAME : url.name();
    }
}
