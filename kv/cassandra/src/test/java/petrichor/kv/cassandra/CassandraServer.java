package petrichor.kv.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import petrichor.kv.StoreUrl;
import petrichor.kv.ranges.RangeLimits;
import petrichor.kv.ranges.RangedStore;
import petrichor.kv.testkit.RealStore;

/** Real servers, with direct access for tests. */
record CassandraServer(RealStore server, String url) implements AutoCloseable {
    private static final AtomicInteger NAMES = new AtomicInteger();

    /** Servers shared by all tests that do not stop them. */
    static CassandraServer shared() {
        return new CassandraServer(RealStore.of(new CassandraDeployment()));
    }

    static CassandraServer ofItsOwn(int nodes) {
        return new CassandraServer(RealStore.start(new CassandraDeployment(), nodes));
    }

    private CassandraServer(RealStore server) {
        this(server, server.url());
    }

    /** The address of an unused store in the shared keyspace. */
    StoreUrl newStore() {
        return StoreUrl.parse(url + ".test" + NAMES.incrementAndGet() + "?timeout=20s");
    }

    StoreUrl keyspace(String keyspace) {
        String nodes = url.substring(0, url.lastIndexOf('/') + 1);
        return StoreUrl.parse(nodes + keyspace + "?timeout=20s");
    }

    RangedStore open(RangeLimits limits) {
        return CassandraStores.open(CassandraAddress.of(newStore()), limits);
    }

    /** Runs statements like an operator in cqlsh. */
    <T> T operator(Function<CqlSession, T> work) {
        try (CqlSession session =
                CassandraSessions.open(CassandraAddress.of(StoreUrl.parse(url + "?timeout=20s")))) {
            return work.apply(session);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
