package petrichor.transactions.ring;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.TimeSource;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;
import petrichor.transactions.migration.MigrationStores;
import petrichor.transactions.rows.MergedScan;
import petrichor.transactions.rows.TableLayout;

/**
 * Presents the stores of a ring as one, under the map at the time of each call. A store is read
 * only in its ranges: it may have rows of others that are being copied or deleted. Thread-safe.
 */
final class RingReads implements Reads {
    private final MigrationStores stores;
    private final TableLayout layout;
    private final RingApplication application;
    private final RingLoad load;
    private final Timing timing;

    /** Where the time of reads goes. */
    record Timing(TimeSource time, RecentLatencies latencies) {
        void add(long began) {
            latencies.add(time.monotonicNanos() - began, began);
        }
    }

    RingReads(
            MigrationStores stores,
            TableLayout layout,
            RingApplication application,
            RingLoad load,
            Timing timing) {
        this.stores = stores;
        this.layout = layout;
        this.application = application;
        this.load = load;
        this.timing = timing;
    }

    private Reads store(String name) {
        return stores.store(name);
    }

    private String storeOf(RingMap map, String table, byte[] stored) {
        return switch (table) {
            case TableLayout.ROWS -> {
                byte[] key = TableLayout.keyOfRow(stored);
                String store = map.storeOf(key);
                load.read(store, key);
                yield store;
            }
            case TableLayout.HISTORY -> map.storeOf(TableLayout.keyOfHistory(stored));
            default -> MigrationStores.HOME;
        };
    }

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        long began = timing.time.monotonicNanos();
        byte[] value = store(storeOf(application.map(), table, key)).get(table, key);
        timing.add(began);
        return value;
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        RingMap map = application.map();
        Map<String, List<Integer>> places = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            places.computeIfAbsent(storeOf(map, table, keys.get(i)), _ -> new ArrayList<>()).add(i);
        }
        List<byte @Nullable []> values =
                new ArrayList<>(Collections.<byte @Nullable []>nCopies(keys.size(), null));
        places.forEach(
                (store, at) -> {
                    List<byte @Nullable []> found =
                            store(store).get(table, at.stream().map(keys::get).toList());
                    for (int i = 0; i < at.size(); i++) {
                        values.set(at.get(i), found.get(i));
                    }
                });
        return values;
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        RingMap map = application.map();
        return switch (table) {
            case TableLayout.ROWS -> {
                List<RingMap.Range> parts =
                        inTable(map.parts(TableLayout.keysOfRows(range)), range);
                if (!parts.isEmpty()) {
                    load.read(
                            parts.getFirst().store(),
                            TableLayout.keyOfRow(parts.getFirst().keys().from()));
                }
                yield chained(table, parts, direction, limit);
            }
            case TableLayout.HISTORY -> history(map, range, direction, limit);
            default -> store(MigrationStores.HOME).scan(table, range, direction, limit);
        };
    }

    private List<RingMap.Range> inTable(List<RingMap.Range> parts, KeyRange range) {
        List<RingMap.Range> stored = new ArrayList<>(parts.size());
        for (RingMap.Range part : parts) {
            KeyRange common = RingMap.common(layout.rowRange(part.keys()), range);
            if (common != null) {
                stored.add(new RingMap.Range(common, part.store()));
            }
        }
        return stored;
    }

    private Scan chained(String table, List<RingMap.Range> parts, Direction direction, int limit) {
        if (parts.size() == 1) {
            RingMap.Range only = parts.getFirst();
            return store(only.store()).scan(table, only.keys(), direction, limit);
        }
        List<RingMap.Range> order = direction == Direction.FORWARD ? parts : parts.reversed();
        return new ChainedScan(stores, table, order, direction, limit);
    }

    /**
     * Within one hour, history is in the order of keys, like rows. Other ranges are merged, and
     * rows of a store that does not have their range are left out.
     */
    private Scan history(RingMap map, KeyRange range, Direction direction, int limit) {
        int hour = layout.hourOfRange(range);
        if (hour >= 0) {
            List<RingMap.Range> parts = new ArrayList<>();
            for (RingMap.Range part : map.parts(TableLayout.keysOfHistory(range))) {
                KeyRange common = RingMap.common(layout.historyRange(hour, part.keys()), range);
                if (common != null) {
                    parts.add(new RingMap.Range(common, part.store()));
                }
            }
            return chained(TableLayout.HISTORY, parts, direction, limit);
        }
        List<Scan> scans = new ArrayList<>();
        try {
            List<String> names = new ArrayList<>();
            names.add(MigrationStores.HOME);
            map.members().stream()
                    .map(RingMap.Member::store)
                    .filter(name -> !name.equals(MigrationStores.HOME))
                    .forEach(names::add);
            for (String name : names) {
                Scan all =
                        store(name).scan(TableLayout.HISTORY, range, direction, Integer.MAX_VALUE);
                scans.add(new OwnRows(all, map, name));
            }
        } catch (RuntimeException failed) {
            scans.forEach(Scan::close);
            throw failed;
        }
        return new MergedScan(scans, direction, limit);
    }

    /** The history of the keys that a store has. */
    private record OwnRows(Scan all, RingMap map, String store) implements Scan {
        @Override
        public boolean next() {
            while (all.next()) {
                if (map.storeOf(TableLayout.keyOfHistory(all.key())).equals(store)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public byte[] key() {
            return all.key();
        }

        @Override
        public byte[] value() {
            return all.value();
        }

        @Override
        public void close() {
            all.close();
        }
    }

    @Override
    public String toString() {
        return "ring of " + Arrays.toString(application.map().members().toArray());
    }
}
