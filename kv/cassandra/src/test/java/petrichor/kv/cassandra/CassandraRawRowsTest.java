package petrichor.kv.cassandra;

import petrichor.kv.RawRows;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.RawRowsConformance;

class CassandraRawRowsTest implements RawRowsConformance {
    private final StoreUrl url = CassandraServer.shared().newStore();

    @Override
    public RawRows openRaw() {
        return new CassandraPlugin().rawRows(url).orElseThrow();
    }
}
