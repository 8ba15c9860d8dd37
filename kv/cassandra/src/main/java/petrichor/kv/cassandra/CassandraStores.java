package petrichor.kv.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import petrichor.kv.ranges.RangeLimits;
import petrichor.kv.ranges.RangedStore;

/** Connects, checks and opens. */
final class CassandraStores {
    private CassandraStores() {}

    static RangedStore open(CassandraAddress address) {
        return open(address, RangeLimits.DEFAULT);
    }

    static RangedStore open(CassandraAddress address, RangeLimits limits) {
        CqlSession session = Sessions.open(address);
        try {
            int valueBytesMax = new ServerFitness(session, address.text()).requireFit();
            new Schema(session, address).require();
            Queries queries =
                    new Queries(session, address.keyspace(), new CassandraFailures(address.text()));
            return RangedStore.open(
                    new CassandraRows(queries, address.space(), valueBytesMax), limits);
        } catch (RuntimeException unfit) {
            Sessions.close(session);
            throw unfit;
        }
    }
}
