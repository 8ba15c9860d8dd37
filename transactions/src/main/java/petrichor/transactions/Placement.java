package petrichor.transactions;

import petrichor.kv.KeyRange;

/**
 * Which of a database's stores holds a row, by its key alone. Must be constant: a row is looked for
 * where it was written. Pure functions.
 */
public interface Placement {
    /** The store that has the commit point, and all rows that are not placed elsewhere. */
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

    /** {@link #HOME}, or the number of another store, from 1. */
    int storeOf(byte[] key);

    /** False only if no key of the range is in that store: it is not read then. */
    boolean mayHold(int store, KeyRange keys);
}
