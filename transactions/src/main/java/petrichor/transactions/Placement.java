package petrichor.transactions;

import petrichor.kv.KeyRange;

/**
 * Which of a database's stores a row lies in, by its key alone. Never changes its mind: a row is
 * looked for where it was put. Pure functions.
 */
public interface Placement {
    /** The store that has the commit point, and whatever is not placed elsewhere. */
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

    /** False only if no key of the range lies in that store: it is not asked then. */
    boolean mayHold(int store, KeyRange keys);
}
