package petrichor.transactions;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One object that a commit changed. Rows that are functions of others, such as those of indexes,
 * are not listed; see {@link CommitRequest#conflictKeys()}. The arrays must not be changed.
 *
 * @param before the row that the commit replaced; null if it created the row
 * @param after the row that the commit wrote; null if it removed the row
 */
public record RowChange(byte[] key, @Nullable Row before, @Nullable Row after) {
    public RowChange {
        Objects.requireNonNull(key);
        if (before == null && after == null) {
            throw new IllegalArgumentException("a change has a row before or after it");
        }
    }

    /** Size of the key and of both rows, in bytes. */
    public long bytes() {
        return key.length
                + (before == null ? 0L : before.value().length)
                + (after == null ? 0L : after.value().length);
    }
}
