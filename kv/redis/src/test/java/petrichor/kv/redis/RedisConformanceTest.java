package petrichor.kv.redis;

import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.testkit.AtomicBatchConformance;
import petrichor.kv.testkit.MetamorphicConformance;
import petrichor.kv.testkit.StoreConformance;

/** The whole conformance kit, compared with the memory store. */
class RedisConformanceTest
        implements StoreConformance, AtomicBatchConformance, MetamorphicConformance {
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

    @Override
    public KeyValueStore openReference() {
        return MemoryStore.open(MemoryOptions.DEFAULT.withoutViews());
    }

    @Override
    public KeyValueStore reopenReference(KeyValueStore reference) {
        return ((MemoryStore) reference).reopen();
    }
}
