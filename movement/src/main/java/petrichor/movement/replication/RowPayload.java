package petrichor.movement.replication;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.movement.backups.BackupRow;
import petrichor.movement.backups.RowBlock;

/**
 * Rows of a message, compressed.
 *
 * @param compressed with Zstandard
 * @param rawBytes before compression
 */
public record RowPayload(ByteString compressed, int rawBytes) {
    /** A commit has at most 64 MiB with its history; see TransactionLimits. */
    private static final int RAW_BYTES_MAX = 96 << 20;

    /** Higher levels save little on such rows and cost the time of the source. */
    private static final int LEVEL = 3;

    static RowPayload of(List<BackupRow> rows) {
        byte[] block = RowBlock.encode(rows);
        return new RowPayload(ByteString.copyFrom(Zstd.compress(block, LEVEL)), block.length);
    }

    /** INVALID_ARGUMENT if they are damaged. */
    public List<BackupRow> rows() {
        if (rawBytes < 0 || rawBytes > RAW_BYTES_MAX) {
            throw malformed(new IllegalArgumentException("size of the rows: " + rawBytes));
        }
        try {
            byte[] block = Zstd.decompress(compressed.toByteArray(), rawBytes);
            if (block.length != rawBytes) {
                throw malformed(new IllegalArgumentException("size of the rows: " + block.length));
            }
            return RowBlock.decode(ByteBuffer.wrap(block));
        } catch (ZstdException damaged) {
            throw malformed(damaged);
        }
    }

    private static PetrichorException malformed(RuntimeException cause) {
        return PetrichorException.of(
                ErrorCode.INVALID_ARGUMENT, cause, "The rows of a replication are damaged.");
    }
}
