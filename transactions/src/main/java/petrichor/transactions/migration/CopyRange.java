package petrichor.transactions.migration;

import org.jspecify.annotations.Nullable;
import petrichor.kv.KeyRange;

/**
 * A range of a table that is copied in order, and what is left of it.
 *
 * @param from the first key that is not copied
 * @param to exclusive; null for the end of the table
 * @param done nothing is left
 */
record CopyRange(String table, byte[] from, byte @Nullable [] to, boolean done) {
    KeyRange left() {
        return new KeyRange(from, to);
    }

    CopyRange after(byte[] next) {
        return new CopyRange(table, next, to, false);
    }

    CopyRange ended() {
        return new CopyRange(table, from, to, true);
    }
}
