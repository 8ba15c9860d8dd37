package petrichor.kv.rocksdb;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import petrichor.kv.KeyValueStore;
import petrichor.kv.testkit.AtomicBatchConformance;
import petrichor.kv.testkit.StoreConformance;
import petrichor.kv.testkit.ViewConformance;

class RocksConformanceTest implements StoreConformance, AtomicBatchConformance, ViewConformance {
    @TempDir Path folder;

    @Override
    public KeyValueStore open() {
        return RocksStore.open(folder);
    }

    @Override
    public KeyValueStore reopen(KeyValueStore store) {
        store.close();
        return RocksStore.open(folder);
    }
}
