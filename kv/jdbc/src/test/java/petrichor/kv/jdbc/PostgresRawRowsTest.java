package petrichor.kv.jdbc;

import petrichor.kv.RawRows;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.RawRowsConformance;
import petrichor.kv.testkit.RealStore;

class PostgresRawRowsTest implements RawRowsConformance {
    private final StoreUrl url = StoreUrl.parse(RealStore.of(new PostgresDeployment()).url());

    @Override
    public RawRows openRaw() {
        return new JdbcPlugin().rawRows(url).orElseThrow();
    }
}
