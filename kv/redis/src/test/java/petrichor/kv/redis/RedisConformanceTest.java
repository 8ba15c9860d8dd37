package petrichor.kv.redis;

import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.AtomicBatchConformance;
import petrichor.kv.testkit.StoreConformance;

/** The whole kit. */
class RedisConformanceTest implements StoreConformance, AtomicBatchConformance {
    private static final RedisServer SERVER = RedisServer.shared();

    private StoreUrl opened = SERVER.newStore();

    @Override
    public KeyValueStore open() {
        opened = SERVER.newStore();
        return RedisStore.open(opened);
    }

    @Override
    public KeyValueStore reopen(KeyValueStore store) {
        store.close();
        return RedisStore.open(opened);
    }
}
