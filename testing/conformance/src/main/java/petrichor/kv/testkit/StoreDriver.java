package petrichor.kv.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Reads;
import petrichor.kv.Scan;
import petrichor.kv.StoreView;
import petrichor.kv.WriteBatch;

/**
 * A store with its open views and fences, and the results of its operations, as comparable text.
 */
final class StoreDriver implements AutoCloseable {
    /** An operation on a store. */
    record Operation(String text, Action action) {}

    interface Action {
        Object on(StoreDriver driver);
    }

    private final UnaryOperator<KeyValueStore> reopening;
    private final List<StoreView> views = new ArrayList<>();
    private KeyValueStore store;
    private final Map<Bytes, Long> fences = new HashMap<>();

    StoreDriver(KeyValueStore store, UnaryOperator<KeyValueStore> reopening) {
        this.store = store;
        this.reopening = reopening;
    }

    /** The result of the operation, or the code of its failure. */
    String answer(Operation operation) {
        try {
            return String.valueOf(operation.action.on(this));
        } catch (PetrichorException e) {
            return e.code().name();
        }
    }

    KeyValueStore store() {
        return store;
    }

    /** The view opened as the n-th (modulo the number of views), or the store if none is open. */
    Reads reads(int n) {
        return views.isEmpty() ? store : views.get(n % views.size());
    }

    String openView() {
        views.add(store.view());
        return views.size() + " views";
    }

    String closeView(int n) {
        if (!views.isEmpty()) {
            views.remove(n % views.size()).close();
        }
        return views.size() + " views";
    }

    private void closeViews() {
        views.forEach(StoreView::close);
        views.clear();
    }

    /** Views do not support dropping tables, so they are closed first. */
    String dropTable(String table) {
        closeViews();
        store.dropTable(table);
        return store.tables().toString();
    }

    String createTable(String table) {
        closeViews();
        store.createTable(table);
        return store.tables().toString();
    }

    String reopen() {
        closeViews();
        store = reopening.apply(store);
        fences.clear();
        return store.tables().toString();
    }

    String takeFence(byte[] domain) {
        fences.put(Bytes.of(domain), step().takeFence(domain));
        return "taken";
    }

    /** Commits with the last fence since the store was opened, or one {@code behind} it. */
    String commit(byte[] domain, int behind, WriteBatch batch) {
        long newest = fences.getOrDefault(Bytes.of(domain), 0L);
        return step().commit(domain, newest - behind, batch).name();
    }

    private DurableStep.AtomicBatch step() {
        return (DurableStep.AtomicBatch) store.durableStep();
    }

    String putIfAbsent(String table, byte[] key, byte[] value) {
        return conditional().putIfAbsent(table, key, value).name();
    }

    String read(String table, byte[] key) {
        return hex(conditional().read(table, key));
    }

    String putIfNewer(WriteBatch batch, long version) {
        conditional().putIfNewer(batch, version);
        return "put";
    }

    private DurableStep.ConditionalRow conditional() {
        return (DurableStep.ConditionalRow) store.durableStep();
    }

    String putPlain(String table, byte[] key, byte[] value) {
        ((DurableStep.PlainRow) store.durableStep()).put(table, key, value);
        return "put";
    }

    static String rows(Reads reads, String table, KeyRange range, Direction direction, int limit) {
        StringBuilder rows = new StringBuilder();
        try (Scan scan = reads.scan(table, range, direction, limit)) {
            while (scan.next()) {
                rows.append(hex(scan.key())).append('=').append(hex(scan.value())).append(' ');
            }
        }
        return rows.toString();
    }

    static String hex(byte @Nullable [] bytes) {
        return bytes == null ? "none" : HexFormat.of().formatHex(bytes);
    }

    @Override
    public void close() {
        closeViews();
        store.close();
    }
}
