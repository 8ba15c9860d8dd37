package petrichor.movement.backups;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The encoding of rows in files and messages: for each row its version (8 bytes), the length of its
 * key (4), the length of its value (4; -1 if the entity was deleted), key and value. Stateless.
 */
public final class RowBlock {
    static final int ROW_HEADER_BYTES = Long.BYTES + 2 * Integer.BYTES;

    private RowBlock() {}

    public static byte[] encode(List<BackupRow> rows) {
        ByteBuffer out = ByteBuffer.allocate(rows.stream().mapToInt(BackupRow::bytes).sum());
        for (BackupRow row : rows) {
            byte[] value = row.value();
            out.putLong(row.version());
            out.putInt(row.key().length);
            out.putInt(value == null ? -1 : value.length);
            out.put(row.key());
            if (value != null) {
                out.put(value);
            }
        }
        return out.array();
    }

    public static List<BackupRow> decode(ByteBuffer in) {
        List<BackupRow> rows = new ArrayList<>();
        try {
            while (in.hasRemaining()) {
                long version = in.getLong();
                int keyLength = in.getInt();
                int valueLength = in.getInt();
                byte[] key = take(in, keyLength);
                byte @Nullable [] value = valueLength == -1 ? null : take(in, valueLength);
                rows.add(new BackupRow(key, version, value));
            }
        } catch (BufferUnderflowException tooShort) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION, tooShort, "A block of rows is incomplete.");
        }
        return rows;
    }

    private static byte[] take(ByteBuffer in, int length) {
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }
}
