package petrichor.movement.backups;

import org.jspecify.annotations.Nullable;

/**
 * An entity as a commit left it. The arrays must not be changed.
 *
 * @param key of the entity's row
 * @param version the commit, in microseconds since 1970
 * @param value the entity's row; null if the commit deleted the entity
 */
public record BackupRow(byte[] key, long version, byte @Nullable [] value) {
    /** Size in a block, in bytes. */
    int bytes() {
        return RowBlock.ROW_HEADER_BYTES + key.length + (value == null ? 0 : value.length);
    }
}
