package petrichor.kv.cassandra;

import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.testkit.MetamorphicConformance;
import petrichor.kv.testkit.PlainAppendConformance;
import petrichor.kv.testkit.StoreConformance;

/** The whole conformance kit. */
class CassandraConformanceTest
        implements StoreConformance, PlainAppendConformance, MetamorphicConformance {
    private static final MemoryOptions REFERENCE =
            MemoryOptions.DEFAULT.withTier(MemoryOptions.Tier.B).withoutViews();
    private static final CassandraServer SERVER = CassandraServer.shared();

    private StoreUrl opened = SERVER.newStore();

    @Override
    public KeyValueStore open() {
        opened = SERVER.newStore();
        return new CassandraPlugin().open(opened);
    }

    @Override
    public KeyValueStore reopen(KeyValueStore store) {
        store.close();
        return new CassandraPlugin().open(opened);
    }

    @Override
    public int metamorphicSeeds() {
        return 3;
    }

    @Override
    public KeyValueStore openReference() {
        return MemoryStore.open(REFERENCE);
    }

    @Override
    public KeyValueStore reopenReference(KeyValueStore reference) {
        return ((MemoryStore) reference).reopen();
    }
}
