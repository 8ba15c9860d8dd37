package petrichor.transactions.changes;

import org.jspecify.annotations.Nullable;
import petrichor.transactions.rows.TableLayout;

/**
 * Which changes have been removed. A position before {@code from} is still valid if no commit after
 * it was removed: a reader of an idle database keeps its position however long that takes.
 *
 * @param from records and history before this version are removed
 * @param lostUpTo version of the last commit among them; 0 if there was none
 */
public record KeptChanges(long from, long lostUpTo) {
    public KeptChanges {
        if (lostUpTo > from) {
            throw new IllegalArgumentException("lost more than was removed");
        }
    }

    /** As stored; null if nothing was removed. */
    public static KeptChanges decode(byte @Nullable [] stored) {
        if (stored == null) {
            return new KeptChanges(0, 0);
        }
        long from = TableLayout.longAt(stored, 0);
        // Servers without the change feed stored only the first number.
        return new KeptChanges(
                from,
                stored.length < 2 * Long.BYTES ? from : TableLayout.longAt(stored, Long.BYTES));
    }

    public byte[] encode() {
        byte[] stored = new byte[2 * Long.BYTES];
        TableLayout.putLong(stored, 0, from);
        TableLayout.putLong(stored, Long.BYTES, lostUpTo);
        return stored;
    }
}
