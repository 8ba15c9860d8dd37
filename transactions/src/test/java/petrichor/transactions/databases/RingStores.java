package petrichor.transactions.databases;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.rows.TableLayout;

/** A home and other stores, in memory, which outlive the processes. */
final class RingStores implements AutoCloseable {
    final Map<String, KeyValueStore> stores = new LinkedHashMap<>();

    RingStores(String... others) {
        stores.put("home", MemoryStore.open(MemoryOptions.DEFAULT.withoutViews()));
        for (String other : others) {
            stores.put(other, MemoryStore.open(MemoryOptions.DEFAULT.withoutViews()));
        }
        for (KeyValueStore store : stores.values()) {
            store.createTable(TableLayout.ROWS);
            store.createTable(TableLayout.HISTORY);
        }
    }

    KeyValueStore home() {
        return store("home");
    }

    KeyValueStore store(String name) {
        KeyValueStore store = stores.get(name);
        if (store == null) {
            throw new AssertionError("no store " + name);
        }
        return store;
    }

    NamedStores others() {
        Map<String, Supplier<KeyValueStore>> openers = new LinkedHashMap<>();
        stores.forEach(
                (name, store) -> {
                    if (!name.equals("home")) {
                        openers.put(name, () -> store);
                    }
                });
        return new NamedStores(openers);
    }

    long rows(String name) {
        return count(name, "rows")[0];
    }

    long history(String name) {
        return count(name, "history")[0];
    }

    /** Of rows and history. */
    long bytes(String name) {
        return count(name, "rows")[1] + count(name, "history")[1];
    }

    private long[] count(String name, String table) {
        long[] count = new long[2];
        try (Scan scan =
                store(name).scan(table, KeyRange.ALL, Direction.FORWARD, Integer.MAX_VALUE)) {
            while (scan.next()) {
                count[0]++;
                count[1] += scan.key().length + scan.value().length;
            }
        }
        return count;
    }

    /** Damages the last row of a range in a store. */
    void flipLastBit(String name, KeyRange keys) {
        KeyRange rows = new TableLayout(1).rowRange(keys);
        try (Scan scan = store(name).scan("rows", rows, Direction.REVERSE, 1)) {
            if (!scan.next()) {
                throw new AssertionError("no rows in " + name);
            }
            byte[] value = scan.value().clone();
            value[value.length - 1] ^= 1;
            store(name).write(new WriteBatch().put("rows", scan.key(), value));
        }
    }

    @Override
    public void close() {
        stores.values().forEach(KeyValueStore::close);
    }
}
