package petrichor.transactions.log;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.RowLayout;

/**
 * Applies records of the log to the rows, any number of times, by any number of processes: each
 * store keeps the newest version. Safe for any thread.
 *
 * <p>The home comes last: as long as it has a database's name, its rows elsewhere can be found.
 * Passes on failures of a store; then some stores may have their rows and others not.
 */
final class RowApplication {
    private record Place(String table, Bytes key) {}

    /** What one store gets. */
    private record Share(WriteBatch history, WriteBatch rows) {
        Share() {
            this(new WriteBatch(), new WriteBatch());
        }

        void add(WriteBatch.Op change) {
            boolean past = change.table().equals(RowLayout.HISTORY);
            (past && change instanceof WriteBatch.Put ? history : rows).add(change);
        }
    }

    private final List<RowTarget> stores;
    private final StoredPlacement placement;

    /**
     * @param stores by their numbers
     */
    RowApplication(List<RowTarget> stores, StoredPlacement placement) {
        this.stores = List.copyOf(stores);
        this.placement = placement;
    }

    /** All of these, in the order of the log; as of then a row has its last value only. */
    void apply(List<LogRecord.Batch> batches) {
        Share[] shares = new Share[stores.size()];
        Arrays.setAll(shares, _ -> new Share());
        for (WriteBatch.Op change : lastOfEachRow(batches)) {
            share(change, shares);
        }
        long version = batches.getLast().version();
        for (int store = shares.length - 1; store >= 0; store--) {
            Share share = shares[store];
            if (!share.history.isEmpty() || !share.rows.isEmpty()) {
                stores.get(store).apply(share.history, share.rows, version);
            }
        }
    }

    private void share(WriteBatch.Op change, Share[] shares) {
        switch (change) {
            case WriteBatch.Put(String table, byte[] key, byte[] _) ->
                    shares[placement.storeOf(table, key)].add(change);
            case WriteBatch.Delete(String table, byte[] key) ->
                    shares[placement.storeOf(table, key)].add(change);
            case WriteBatch.DeleteRange(String table, KeyRange range) -> {
                for (int store = 0; store < shares.length; store++) {
                    if (placement.mayHold(store, table, range)) {
                        shares[store].add(change);
                    }
                }
            }
        }
    }

    /** Stores order what has one version by value, or deletes first: there must be one each. */
    private static Iterable<WriteBatch.Op> lastOfEachRow(List<LogRecord.Batch> batches) {
        Map<Place, WriteBatch.Op> changes = new LinkedHashMap<>();
        for (LogRecord.Batch batch : batches) {
            for (WriteBatch.Op change : batch.rows().ops()) {
                Place place = place(change);
                changes.remove(place);
                changes.put(place, change);
            }
        }
        return changes.values();
    }

    private static Place place(WriteBatch.Op change) {
        return switch (change) {
            case WriteBatch.Put(String table, byte[] key, byte[] _) ->
                    new Place(table, Bytes.of(key));
            case WriteBatch.Delete(String table, byte[] key) -> new Place(table, Bytes.of(key));
            // A range is no row; one that begins where a row is must not be taken for that row.
            case WriteBatch.DeleteRange range ->
                    new Place("range of " + range.table(), Bytes.of(range.range().from()));
        };
    }
}
