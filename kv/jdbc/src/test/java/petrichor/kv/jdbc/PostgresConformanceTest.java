package petrichor.kv.jdbc;

import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.testkit.AtomicBatchConformance;
import petrichor.kv.testkit.MetamorphicConformance;
import petrichor.kv.testkit.RealStore;
import petrichor.kv.testkit.StoreConformance;

/** The whole conformance kit on a real PostgreSQL. */
class PostgresConformanceTest
        implements StoreConformance, AtomicBatchConformance, MetamorphicConformance {
    private static int opened;

    @Override
    public KeyValueStore open() {
        opened++;
        return new JdbcPlugin().open(url());
    }

    @Override
    public KeyValueStore reopen(KeyValueStore store) {
        store.close();
        return new JdbcPlugin().open(url());
    }

    private static StoreUrl url() {
        String server = RealStore.of(new PostgresDeployment()).url();
        return StoreUrl.parse(server + "?connections=8&timeout=60s&schema=conformance" + opened);
    }

    /** The tests constantly create and drop tables, which is slow on an SQL server. */
    @Override
    public int metamorphicSeeds() {
        return 4;
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
