package petrichor.kv.mongodb;

import petrichor.kv.RawRows;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.RawRowsConformance;

class MongoRawRowsTest implements RawRowsConformance {
    private final StoreUrl url = MongoServer.shared().newStore();

    @Override
    public RawRows openRaw() {
        return new MongoPlugin().rawRows(url).orElseThrow();
    }
}
