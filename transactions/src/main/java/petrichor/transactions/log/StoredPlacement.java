package petrichor.transactions.log;

import petrichor.base.Bytes;
import petrichor.kv.KeyRange;
import petrichor.transactions.Placement;
import petrichor.transactions.rows.TableLayout;

/**
 * A {@link Placement} for rows in tables. History is in the same store as its rows, so that a
 * reader of both finds them in one store, in the order in which they were written. Everything else
 * is in the home store.
 */
record StoredPlacement(Placement placement) {

    int storeOf(String table, byte[] key) {
        return switch (table) {
            case TableLayout.ROWS -> placement.storeOf(TableLayout.keyOfRow(key));
            case TableLayout.HISTORY -> placement.storeOf(TableLayout.keyOfHistory(key));
            default -> Placement.HOME;
        };
    }

    boolean mayHold(int store, String table, KeyRange range) {
        return switch (table) {
            case TableLayout.ROWS -> placement.mayHold(store, TableLayout.keysOfRows(range));
            case TableLayout.HISTORY -> mayHoldHistory(store, TableLayout.keysOfHistory(range));
            default -> store == Placement.HOME;
        };
    }

    private boolean mayHoldHistory(int store, KeyRange keys) {
        byte[] to = keys.to();
        // The history of one key, which is the most frequent query.
        boolean single = to != null && Bytes.compare(to, Bytes.successor(keys.from())) == 0;
        return single ? placement.storeOf(keys.from()) == store : placement.mayHold(store, keys);
    }
}
