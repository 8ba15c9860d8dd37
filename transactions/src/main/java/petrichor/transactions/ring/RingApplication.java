package petrichor.transactions.ring;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;
import petrichor.transactions.log.FencedTarget;
import petrichor.transactions.log.LastOfEachRow;
import petrichor.transactions.log.LogApplication;
import petrichor.transactions.log.LogRecord;
import petrichor.transactions.migration.MigrationStores;
import petrichor.transactions.rows.TableLayout;

/**
 * Applies the log to the stores of a ring. A step with another map is the last one that is applied
 * under the map before it, and reaches the home after all earlier steps have reached all stores. So
 * the home's map implies that every step up to its version is applied everywhere: a process that
 * reads the log again skips those, and never applies a step under a map of another time.
 *
 * <p>Thread-safe: threads that apply the same steps make the same changes, and the mark of each
 * store skips repeated ones.
 */
final class RingApplication implements LogApplication {
    /** The share of one store. */
    private record Share(WriteBatch history, WriteBatch rows) {
        Share() {
            this(new WriteBatch(), new WriteBatch());
        }
    }

    private final MigrationStores stores;
    private final TableLayout layout;
    private final RingLoad load;
    private final Map<String, FencedTarget> targets = new ConcurrentHashMap<>();
    private final Object changing = new Object();
    private volatile RingMap map = RingMap.NONE;

    RingApplication(MigrationStores stores, TableLayout layout, RingLoad load) {
        this.stores = stores;
        this.layout = layout;
        this.load = load;
    }

    /** The newest map that all stores follow. */
    RingMap map() {
        return map;
    }

    @Override
    public void restart() {
        byte[] stored = stores.store(MigrationStores.HOME).get(TableLayout.META, layout.ringKey());
        if (stored != null) {
            adopt(RingRows.decodeMap(stored));
        }
    }

    private void adopt(RingMap next) {
        synchronized (changing) {
            if (next.version() > map.version()) {
                map = next;
            }
        }
    }

    FencedTarget target(String name) {
        return targets.computeIfAbsent(name, this::opened);
    }

    private FencedTarget opened(String name) {
        KeyValueStore store = stores.store(name);
        if (!(store.durableStep() instanceof DurableStep.AtomicBatch step)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The store {store} cannot be a member of a ring: it does not write batches"
                            + " atomically. Stores with a cluster of their own distribute rows"
                            + " themselves.",
                    "store",
                    name);
        }
        return new FencedTarget(store, step, layout);
    }

    @Override
    public void apply(List<LogRecord.Batch> steps) {
        RingMap now = map;
        List<LogRecord.Batch> piece = new ArrayList<>();
        for (LogRecord.Batch step : steps) {
            if (step.version() <= now.version()) {
                continue;
            }
            RingMap next = mapIn(step);
            if (next == null) {
                piece.add(step);
                continue;
            }
            write(piece, now);
            piece.clear();
            // On its own: the home must have nothing of it before all stores have what precedes.
            write(List.of(step), now);
            adopt(next);
            now = next;
        }
        write(piece, now);
    }

    private @Nullable RingMap mapIn(LogRecord.Batch step) {
        for (WriteBatch.Op change : step.rows().ops()) {
            if (change instanceof WriteBatch.Put(String table, byte[] key, byte[] value)
                    && table.equals(TableLayout.META)
                    && Bytes.compare(key, layout.ringKey()) == 0) {
                return RingRows.decodeMap(value);
            }
        }
        return null;
    }

    /** The home last. */
    private void write(List<LogRecord.Batch> steps, RingMap now) {
        if (steps.isEmpty()) {
            return;
        }
        Map<String, Share> shares = new LinkedHashMap<>();
        for (LogRecord.Batch step : steps) {
            step.rows().ops().forEach(change -> delete(change, shares));
        }
        for (WriteBatch.Op change : LastOfEachRow.of(steps)) {
            share(change, now, shares);
        }
        long version = steps.getLast().version();
        Share home = shares.remove(MigrationStores.HOME);
        shares.forEach((store, share) -> apply(store, share, version));
        if (home != null) {
            apply(MigrationStores.HOME, home, version);
        }
    }

    private void apply(String store, Share share, long version) {
        if (!share.history.isEmpty() || !share.rows.isEmpty()) {
            target(store).apply(share.history, share.rows, version);
        }
    }

    /** Deletions in one store concern ranges that the log does not write there meanwhile. */
    private void delete(WriteBatch.Op change, Map<String, Share> shares) {
        if (change instanceof WriteBatch.Put(String table, byte[] key, byte[] value)
                && table.equals(TableLayout.META)
                && Bytes.compare(key, RingRows.deletionKey(layout)) == 0) {
            for (RingRows.Deletion deletion : RingRows.decodeDeletions(value)) {
                of(deletion.store(), shares).rows.deleteRange(deletion.table(), deletion.range());
            }
        }
    }

    private static Share of(String store, Map<String, Share> shares) {
        return shares.computeIfAbsent(store, _ -> new Share());
    }

    private void share(WriteBatch.Op change, RingMap now, Map<String, Share> shares) {
        switch (change) {
            case WriteBatch.Put(String table, byte[] key, byte[] _) ->
                    share(change, table, key, now, shares);
            case WriteBatch.Delete(String table, byte[] key) ->
                    share(change, table, key, now, shares);
            case WriteBatch.DeleteRange(String table, KeyRange _) -> {
                of(MigrationStores.HOME, shares).rows.add(change);
                if (!table.equals(TableLayout.META)) {
                    now.members().stream()
                            .map(RingMap.Member::store)
                            .filter(store -> !store.equals(MigrationStores.HOME))
                            .forEach(store -> of(store, shares).rows.add(change));
                }
            }
        }
    }

    private void share(
            WriteBatch.Op change,
            String table,
            byte[] stored,
            RingMap now,
            Map<String, Share> shares) {
        switch (table) {
            case TableLayout.ROWS -> {
                byte[] key = TableLayout.keyOfRow(stored);
                String store = now.storeOf(key);
                load.written(store, key);
                of(store, shares).rows.add(change);
                String copy = now.copyOf(key);
                if (copy != null) {
                    of(copy, shares).rows.add(change);
                }
            }
            case TableLayout.HISTORY -> {
                byte[] key = TableLayout.keyOfHistory(stored);
                add(of(now.storeOf(key), shares), change);
                String copy = now.copyOf(key);
                if (copy != null) {
                    add(of(copy, shares), change);
                }
            }
            default -> of(MigrationStores.HOME, shares).rows.add(change);
        }
    }

    private static void add(Share share, WriteBatch.Op change) {
        (change instanceof WriteBatch.Put ? share.history : share.rows).add(change);
    }
}
