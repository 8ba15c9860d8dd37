package petrichor.kv.hbase;

import petrichor.kv.RawRows;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.RawRowsConformance;

class HBaseRawRowsTest implements RawRowsConformance {
    private final StoreUrl url = StoreUrl.parse(TestHBase.newUrl());

    @Override
    public RawRows openRaw() {
        return new HBasePlugin().rawRows(url).orElseThrow();
    }
}
