package petrichor.transactions.log;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.transactions.rows.LogPosition;
import petrichor.transactions.rows.TableLayout;

/**
 * The write-ahead log of one database in its home store: a row per slot, written once. A record too
 * large for one row is split into parts stored next to its slot, written before it, under a nonce
 * of the record: the remains of a failed append are harmless.
 *
 * <pre>
 *   log    database(4) epoch(8) slot(8)                  -> record, or
 *                                                           head(1)=3 nonce(8) parts(4) version(8)
 *   log    database(4) epoch(8) slot(8) nonce(8) part(4) -> piece of a record
 * </pre>
 *
 * Thread-safe.
 */
public final class CommitLog {
    public static final String TABLE = "log";

    private static final byte HEAD = 3;
    private static final int HEAD_BYTES = 1 + Long.BYTES + Integer.BYTES + Long.BYTES;

    /** A written slot, and the number of its parts. */
    record Slot(LogPosition at, long nonce, int parts) {}

    /** The content of a slot. */
    record Entry(Slot slot, LogRecord record) {}

    private final KeyValueStore store;
    private final LogSlots slots;
    private final TableLayout layout;
    private final int pieceBytes;

    CommitLog(KeyValueStore store, LogSlots slots, TableLayout layout) {
        this.store = store;
        this.slots = slots;
        this.layout = layout;
        this.pieceBytes = store.capabilities().valueBytesMax();
    }

    /** Starts an epoch whose slots belong to this owner, from the first one. */
    void begin(long epoch) {
        slots.begin(epoch);
    }

    /**
     * Writes the record into the next slot of the epoch; FENCED if another owner has ended the
     * epoch.
     */
    DurableStep.Outcome append(Slot slot, byte[] encoded, long version) {
        for (int part = 0; part < slot.parts; part++) {
            int from = part * pieceBytes;
            byte[] piece =
                    Arrays.copyOfRange(encoded, from, Math.min(from + pieceBytes, encoded.length));
            slots.putPart(partKey(slot, part), piece, version);
        }
        return slots.append(slot.at, slot.parts == 0 ? encoded : head(slot, version), version);
    }

    /** See {@link LogSlots#seal}. */
    LogSlots.Sealing seal(LogPosition at, LogRecord.Seal seal, BooleanSupplier nothingRemoved) {
        return slots.seal(at, seal, nothingRemoved);
    }

    /** The layout of a record of that size in the store. */
    Slot slot(LogPosition at, long nonce, byte[] encoded) {
        int parts =
                encoded.length <= pieceBytes ? 0 : (encoded.length + pieceBytes - 1) / pieceBytes;
        return new Slot(at, nonce, parts);
    }

    /** Null if the slot is not written, or if its record was removed. */
    @Nullable Entry read(LogPosition at) {
        byte[] row = slots.read(at);
        if (row == null) {
            return null;
        }
        if (!isHead(row)) {
            LogRecord record = LogCodec.decode(row);
            return new Entry(new Slot(at, record.nonce(), 0), record);
        }
        ByteBuffer head = ByteBuffer.wrap(row, 1, HEAD_BYTES - 1);
        Slot slot = new Slot(at, head.getLong(), head.getInt());
        byte[] whole = join(slot);
        if (whole != null) {
            return new Entry(slot, LogCodec.decode(whole));
        }
        // A slot is removed before its parts: another process has applied it.
        if (slots.read(at) == null) {
            return null;
        }
        throw PetrichorException.of(
                ErrorCode.INTERNAL,
                "A record of the commit log is incomplete. Restore the store from a backup.",
                "epoch",
                at.epoch(),
                "slot",
                at.slot());
    }

    private byte @Nullable [] join(Slot slot) {
        List<byte[]> keys = partKeys(slot);
        List<byte[]> pieces = new ArrayList<>(keys.size());
        for (byte[] piece : store.get(TABLE, keys)) {
            if (piece == null) {
                return null;
            }
            pieces.add(piece);
        }
        return Bytes.concat(pieces.toArray(byte[][]::new));
    }

    /**
     * Removes batches that are no longer needed, but never a seal, which shuts out its former owner
     * permanently.
     *
     * @param reached all of them precede it, and it is checkpointed
     */
    void remove(List<Slot> batches, LogCheckpoint reached) {
        List<byte[]> parts = new ArrayList<>();
        batches.forEach(slot -> parts.addAll(partKeys(slot)));
        slots.remove(batches.stream().map(Slot::at).toList(), parts, reached);
    }

    private List<byte[]> partKeys(Slot slot) {
        List<byte[]> keys = new ArrayList<>(slot.parts);
        for (int part = 0; part < slot.parts; part++) {
            keys.add(partKey(slot, part));
        }
        return keys;
    }

    private byte[] partKey(Slot slot, int part) {
        byte[] key = layout.logKey(slot.at);
        return ByteBuffer.allocate(key.length + Long.BYTES + Integer.BYTES)
                .put(key)
                .putLong(slot.nonce)
                .putInt(part)
                .array();
    }

    private static byte[] head(Slot slot, long version) {
        return ByteBuffer.allocate(HEAD_BYTES)
                .put(HEAD)
                .putLong(slot.nonce)
                .putInt(slot.parts)
                .putLong(version)
                .array();
    }

    private static boolean isHead(byte[] row) {
        return row.length == HEAD_BYTES && row[0] == HEAD;
    }

    /** Of a batch, or of the first row of a batch that is split into parts. */
    static long versionOf(byte[] row) {
        return isHead(row)
                ? ByteBuffer.wrap(row).getLong(HEAD_BYTES - Long.BYTES)
                : LogCodec.versionOfBatch(row);
    }
}
