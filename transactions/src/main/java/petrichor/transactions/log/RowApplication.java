package petrichor.transactions.log;

import java.util.Arrays;
import java.util.List;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.TableLayout;

/**
 * Applies log records to the rows. Idempotent, and safe in several processes at once: each store
 * keeps the newest version. Thread-safe.
 *
 * <p>The home store is written last: while it has a database's name, the rows in other stores can
 * be found. Propagates failures of a store; then only some of the stores may have their rows.
 */
final class RowApplication implements LogApplication {
    /** The share of one store. */
    private record Share(WriteBatch history, WriteBatch rows) {
        Share() {
            this(new WriteBatch(), new WriteBatch());
        }

        void add(WriteBatch.Op change) {
            boolean past = change.table().equals(TableLayout.HISTORY);
            (past && change instanceof WriteBatch.Put ? history : rows).add(change);
        }
    }

    private final List<RowTarget> stores;
    private final StoredPlacement placement;

    /**
     * @param stores by number
     */
    RowApplication(List<RowTarget> stores, StoredPlacement placement) {
        this.stores = List.copyOf(stores);
        this.placement = placement;
    }

    /** Applies the batches in log order; each row is written only with its last value. */
    @Override
    public void apply(List<LogRecord.Batch> batches) {
        Share[] shares = new Share[stores.size()];
        Arrays.setAll(shares, _ -> new Share());
        for (WriteBatch.Op change : LastOfEachRow.of(batches)) {
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
}
