package petrichor.transactions.log;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.TableLayout;

/**
 * Encodes and decodes log records. Pure functions.
 *
 * <pre>
 *   seal    kind(1)=2 nonce(8) next-epoch(8) crc(4)
 *   batch   kind(1)=1 nonce(8) epoch(8) version(8) count(4) change* crc(4)
 *   change  what(1) table(1) key [value]     a key or value is its length(4) and its bytes;
 *                                            a range without an end has the length -1
 * </pre>
 *
 * The CRC-32C covers all bytes before it. The first byte of every record is its kind.
 */
public final class LogCodec {
    public static final byte BATCH = 1;
    public static final byte SEAL = 2;

    private static final byte PUT = 1;
    private static final byte DELETE = 2;
    private static final byte DELETE_RANGE = 3;

    /** Encoded by index; append only. */
    private static final List<String> TABLES =
            List.of(TableLayout.ROWS, TableLayout.HISTORY, TableLayout.META);

    private static final int CHANGE_BYTES_MAX = 2 + 2 * Integer.BYTES;
    private static final int NO_END = -1;

    private LogCodec() {}

    public static byte[] encode(LogRecord record) {
        ByteBuffer bytes =
                switch (record) {
                    case LogRecord.Seal(long nextEpoch, long nonce) ->
                            ByteBuffer.allocate(1 + 2 * Long.BYTES + Integer.BYTES)
                                    .put(SEAL)
                                    .putLong(nonce)
                                    .putLong(nextEpoch);
                    case LogRecord.Batch batch -> encode(batch);
                };
        bytes.putInt(checksum(bytes.array(), bytes.position()));
        byte[] whole = new byte[bytes.position()];
        System.arraycopy(bytes.array(), 0, whole, 0, whole.length);
        return whole;
    }

    private static ByteBuffer encode(LogRecord.Batch batch) {
        List<WriteBatch.Op> changes = batch.rows().ops();
        long size =
                1
                        + 3L * Long.BYTES
                        + 2L * Integer.BYTES
                        + (long) changes.size() * CHANGE_BYTES_MAX
                        + batch.rows().bytes();
        ByteBuffer bytes =
                ByteBuffer.allocate(Math.toIntExact(size))
                        .put(BATCH)
                        .putLong(batch.nonce())
                        .putLong(batch.epoch())
                        .putLong(batch.version())
                        .putInt(changes.size());
        for (WriteBatch.Op change : changes) {
            byte table = (byte) TABLES.indexOf(change.table());
            if (table < 0) {
                throw new IllegalArgumentException("the log knows no table " + change.table());
            }
            switch (change) {
                case WriteBatch.Put(String _, byte[] key, byte[] value) -> {
                    bytes.put(PUT).put(table);
                    putArray(bytes, key);
                    putArray(bytes, value);
                }
                case WriteBatch.Delete(String _, byte[] key) -> {
                    bytes.put(DELETE).put(table);
                    putArray(bytes, key);
                }
                case WriteBatch.DeleteRange(String _, KeyRange range) -> {
                    bytes.put(DELETE_RANGE).put(table);
                    putArray(bytes, range.from());
                    putArray(bytes, range.to());
                }
            }
        }
        return bytes;
    }

    private static void putArray(ByteBuffer bytes, byte @Nullable [] array) {
        if (array == null) {
            bytes.putInt(NO_END);
        } else {
            bytes.putInt(array.length).put(array);
        }
    }

    /** Version of an encoded batch, without decoding the rest of it. */
    static long versionOfBatch(byte[] whole) {
        return ByteBuffer.wrap(whole).getLong(1 + 2 * Long.BYTES);
    }

    /** INTERNAL if the bytes are damaged. */
    public static LogRecord decode(byte[] whole) {
        int end = whole.length - Integer.BYTES;
        if (end < 1 || ByteBuffer.wrap(whole).getInt(end) != checksum(whole, end)) {
            throw damaged();
        }
        ByteBuffer bytes = ByteBuffer.wrap(whole, 0, end);
        try {
            byte kind = bytes.get();
            long nonce = bytes.getLong();
            if (kind == SEAL) {
                return new LogRecord.Seal(bytes.getLong(), nonce);
            }
            if (kind == BATCH) {
                return new LogRecord.Batch(
                        bytes.getLong(), bytes.getLong(), nonce, decodeChanges(bytes));
            }
        } catch (BufferUnderflowException | IndexOutOfBoundsException short_) {
            throw damaged();
        }
        throw damaged();
    }

    private static WriteBatch decodeChanges(ByteBuffer bytes) {
        WriteBatch rows = new WriteBatch();
        for (int left = bytes.getInt(); left > 0; left--) {
            byte what = bytes.get();
            String table = TABLES.get(bytes.get());
            byte[] key = array(bytes, bytes.getInt());
            switch (what) {
                case PUT -> rows.put(table, key, array(bytes, bytes.getInt()));
                case DELETE -> rows.delete(table, key);
                case DELETE_RANGE -> {
                    int length = bytes.getInt();
                    byte[] to = length == NO_END ? null : array(bytes, length);
                    rows.deleteRange(table, new KeyRange(key, to));
                }
                default -> throw damaged();
            }
        }
        return rows;
    }

    private static byte[] array(ByteBuffer bytes, int length) {
        byte[] array = new byte[length];
        bytes.get(array);
        return array;
    }

    static int checksum(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    private static PetrichorException damaged() {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                "A record of the commit log is damaged: its checksum does not match. Restore the"
                        + " store from a backup.");
    }
}
