package petrichor.kv.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import petrichor.kv.ranges.RangeLimits;
import petrichor.kv.ranges.RangedStore;

/** Connects to a cluster, checks it and opens stores. */
final class CassandraStores {
    private CassandraStores() {}

    static RangedStore open(CassandraAddress address) {
        return open(address, RangeLimits.DEFAULT);
    }

    static RangedStore open(CassandraAddress address, RangeLimits limits) {
        return RangedStore.open(rows(address), limits);
    }

    /** Whether the keyspace exists, in a suitable cluster. */
    static boolean isInitialized(CassandraAddress address) {
        CqlSession session = CassandraSessions.open(address);
        try {
            int _ = new CassandraFitness(session, address.text()).requireFit();
            return session.getMetadata().getKeyspace(address.keyspace()).isPresent();
        } finally {
            CassandraSessions.close(session);
        }
    }

    /** Without a store over the rows; the caller closes them. */
    static CassandraRows rows(CassandraAddress address) {
        CqlSession session = CassandraSessions.open(address);
        try {
            int valueBytesMax = new CassandraFitness(session, address.text()).requireFit();
            new Schema(session, address).require();
            Queries queries =
                    new Queries(session, address.keyspace(), new CassandraFailures(address.text()));
            return new CassandraRows(queries, address.space(), valueBytesMax);
        } catch (RuntimeException unfit) {
            CassandraSessions.close(session);
            throw unfit;
        }
    }
}
