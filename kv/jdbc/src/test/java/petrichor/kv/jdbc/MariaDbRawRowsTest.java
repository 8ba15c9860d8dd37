package petrichor.kv.jdbc;

import petrichor.kv.RawRows;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.RawRowsConformance;
import petrichor.kv.testkit.RealStore;

class MariaDbRawRowsTest implements RawRowsConformance {
    private final StoreUrl url = StoreUrl.parse(RealStore.of(new MariaDbDeployment()).url());

    @Override
    public RawRows openRaw() {
        return new JdbcPlugin().rawRows(url).orElseThrow();
    }
}
