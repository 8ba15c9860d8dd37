package petrichor.kv.rocksdb;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.testkit.AtomicBatchConformance;
import petrichor.kv.testkit.MetamorphicConformance;
import petrichor.kv.testkit.StoreConformance;
import petrichor.kv.testkit.ViewConformance;

/** The whole conformance kit, compared with the memory store. */
class RocksConformanceTest
        implements StoreConformance,
                AtomicBatchConformance,
                ViewConformance,
                MetamorphicConformance {
    @TempDir Path folders;
    private int opened;

    @Override
    public KeyValueStore open() {
        opened++;
        return RocksStore.open(folder());
    }

    @Override
    public KeyValueStore reopen(KeyValueStore store) {
        store.close();
        return RocksStore.open(folder());
    }

    private Path folder() {
        return folders.resolve("store" + opened);
    }

    @Override
    public KeyValueStore openReference() {
        return MemoryStore.open();
    }

    @Override
    public KeyValueStore reopenReference(KeyValueStore reference) {
        return ((MemoryStore) reference).reopen();
    }
}
