package petrichor.transactions;

import petrichor.kv.KeyRange;

/**
 * Maps each row to one of a database's stores, by its key alone. Must be constant: a row is read
 * from the store to which it was written. Pure functions.
 */
public interface Placement {
    /** The store with the commit point and with all rows that are not placed elsewhere. */
    int HOME = 0;

    /** All rows in one store. */
    Placement NONE =
            new Placement() {
                @Override
                public int storeOf(byte[] key) {
                    return HOME;
                }

                @Override
                public boolean mayHold(int store, KeyRange keys) {
                    return store == HOME;
                }
            };

    /** {@link #HOME}, or the number of another store, starting at 1. */
    int storeOf(byte[] key);

    /** False only if the store holds no key of the range; the store is not read then. */
    boolean mayHold(int store, KeyRange keys);
}
