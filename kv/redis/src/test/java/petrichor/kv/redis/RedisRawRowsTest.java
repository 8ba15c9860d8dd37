package petrichor.kv.redis;

import petrichor.kv.RawRows;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.RawRowsConformance;

class RedisRawRowsTest implements RawRowsConformance {
    private final StoreUrl url = RedisServer.shared().newStore();

    @Override
    public RawRows openRaw() {
        return new RedisPlugin().rawRows(url).orElseThrow();
    }
}
