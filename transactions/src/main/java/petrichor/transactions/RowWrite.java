package petrichor.transactions;

import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * One row that a commit writes or removes, with the row that it replaces, as read at the base
 * version. The prior row becomes history; validation of {@link CommitRequest#conflictKeys()} and
 * {@link CommitRequest#readKeys()} guarantees that it is still the newest. Immutable; the writer's
 * thread computes the hash of the key, because a database has only one sequencer.
 */
public final class RowWrite {
    private final byte[] key;
    private final byte @Nullable [] value;
    private final @Nullable Row prior;
    private final int hash;

    /**
     * @param value the new value; null removes the row
     * @param prior the row at the base version; null if it did not exist
     */
    public RowWrite(byte[] key, byte @Nullable [] value, @Nullable Row prior) {
        this.key = key;
        this.value = value;
        this.prior = prior;
        this.hash = Bytes.hash(key);
    }

    public byte[] key() {
        return key;
    }

    /** Null removes the row. */
    public byte @Nullable [] value() {
        return value;
    }

    /** The row at the base version; null if it did not exist. */
    public @Nullable Row prior() {
        return prior;
    }

    /** {@link Bytes#hash} of the key. */
    public int hash() {
        return hash;
    }
}
