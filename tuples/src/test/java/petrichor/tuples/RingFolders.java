package petrichor.tuples;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import petrichor.kv.KeyValueStore;
import petrichor.kv.rocksdb.RocksOptions;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionMemory;
import petrichor.transactions.databases.NamedStores;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.log.RoutedStores;

/** A home and other stores, each in a folder of its own. */
final class RingFolders implements AutoCloseable {
    static final List<String> STORES = List.of("a", "b", "c");

    private final KeyValueStore home;
    private final NamedStores others;
    final RowDatabases databases;

    RingFolders(Path folder) {
        home = RocksStore.open(folder.resolve("home"), RocksOptions.DEFAULT);
        Map<String, Supplier<KeyValueStore>> openers = new LinkedHashMap<>();
        for (String store : STORES) {
            openers.put(store, () -> RocksStore.open(folder.resolve(store), RocksOptions.DEFAULT));
        }
        others = new NamedStores(openers);
        databases =
                new RowDatabases(
                        RoutedStores.of(home),
                        others,
                        TransactionLimits.DEFAULT,
                        TransactionMemory.unlimited());
    }

    @Override
    public void close() {
        databases.close();
        others.close();
        home.close();
    }
}
