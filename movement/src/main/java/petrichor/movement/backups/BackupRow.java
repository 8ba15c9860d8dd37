package petrichor.movement.backups;

import org.jspecify.annotations.Nullable;

/**
 * An entity, or a row or index entry of a table, as a commit left it. The arrays must not be
 * changed.
 *
 * @param key of its row
 * @param version the commit, in microseconds since 1970
 * @param value null if the commit deleted it
 */
public record BackupRow(byte[] key, long version, byte @Nullable [] value) {
    /** Size in a block, in bytes. */
    public int bytes() {
        return RowBlock.ROW_HEADER_BYTES + key.length + (value == null ? 0 : value.length);
    }
}
