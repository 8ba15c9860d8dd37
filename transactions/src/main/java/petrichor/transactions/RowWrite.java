package petrichor.transactions;

import org.jspecify.annotations.Nullable;

/**
 * One row that a commit writes or removes, with what the writer saw in its place at its base
 * version. The prior row becomes history; that it is still the newest is guaranteed by the commit's
 * validation of {@link CommitRequest#conflictKeys()} and {@link CommitRequest#readKeys()}.
 *
 * @param value the new value; null removes the row
 * @param prior the row as it was at the base version; null if there was none
 */
public record RowWrite(byte[] key, byte @Nullable [] value, @Nullable Row prior) {}
