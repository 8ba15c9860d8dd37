package petrichor.transactions;

import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;

/**
 * One row that a commit writes or removes, with what the writer saw in its place at its base
 * version. The prior row becomes history; that it is still the newest is guaranteed by the commit's
 * validation of {@link CommitRequest#conflictKeys()} and {@link CommitRequest#readKeys()}.
 * Immutable; the key's hash is computed by the writer's thread, because a database has only one
 * sequencer.
 */
public final class RowWrite {
    private final byte[] key;
    private final byte @Nullable [] value;
    private final @Nullable Row prior;
    private final int hash;

    /**
     * @param value the new value; null removes the row
     * @param prior the row as it was at the base version; null if there was none
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

    /** The row at the base version; null if there was none. */
    public @Nullable Row prior() {
        return prior;
    }

    /** {@link Bytes#hash} of the key. */
    public int hash() {
        return hash;
    }
}
