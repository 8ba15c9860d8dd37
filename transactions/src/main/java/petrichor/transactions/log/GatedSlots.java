package petrichor.transactions.log;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.LogPosition;
import petrichor.transactions.rows.TableLayout;

/**
 * Log slots in a store where a conditional write costs several plain ones. Writes records with
 * plain writes, and keeps a gate row for each epoch:
 *
 * <ul>
 *   <li>The owner writes its record and then reads the gate. The record is certain to be valid only
 *       if the gate is still open.
 *   <li>A process that takes over closes the gate and then reads the slots. The owner wrote before
 *       it read, and the other process closed before it read, so at least one sees what the other
 *       did: every acknowledged record is found.
 *   <li>The number of slots in the epoch is then recorded, conditionally and once. It alone decides
 *       whether a record is valid that arrives later, or that the two processes saw differently.
 * </ul>
 *
 * <p>This uses no clock, and adds only a read to a plain write. A gate never reopens: open has a
 * lower version than closed.
 *
 * <pre>
 *   log    database(4) epoch(8) slot(8)    -> record
 *   log    database(4) epoch(8) FF..FE     -> end(1)=4 sealer(8) next-epoch(8) slots(8) crc(4)
 *   log    database(4) epoch(8) FF..FF     -> gate(1): 0 closed, 1 open
 * </pre>
 *
 * Gates and ends are permanent, like seals.
 */
final class GatedSlots implements LogSlots {
    private static final long GATE = -1;
    private static final long END = -2;

    private static final byte[] OPEN = {1};
    private static final byte[] CLOSED = {0};
    private static final long OPEN_VERSION = 1;
    private static final long CLOSED_VERSION = 2;

    private static final byte END_KIND = 4;
    private static final int END_BYTES = 1 + 3 * Long.BYTES + Integer.BYTES;

    /** The sealer in the end record of an epoch that was ended without a claim to the next one. */
    private static final long NOBODY = 0;

    /**
     * The end of an epoch.
     *
     * @param slots number of valid records
     */
    private record End(long epoch, long slots, long sealer, long nextEpoch) {}

    private final KeyValueStore store;
    private final DurableStep.PlainAppend step;
    private final TableLayout layout;

    /** The last end record found, which never changes. */
    private volatile @Nullable End known;

    GatedSlots(KeyValueStore store, DurableStep.PlainAppend step, TableLayout layout) {
        this.store = store;
        this.step = step;
        this.layout = layout;
    }

    @Override
    public void begin(long epoch) {
        putGate(epoch, OPEN, OPEN_VERSION);
    }

    private void putGate(long epoch, byte[] gate, long version) {
        step.putIfNewer(new WriteBatch().put(CommitLog.TABLE, key(epoch, GATE), gate), version);
    }

    @Override
    public void putPart(byte[] key, byte[] piece, long version) {
        step.putIfNewer(new WriteBatch().put(CommitLog.TABLE, key, piece), version);
    }

    @Override
    public DurableStep.Outcome append(LogPosition at, byte[] row, long version) {
        byte[] gate =
                step.putThenRead(
                        CommitLog.TABLE, layout.logKey(at), row, version, key(at.epoch(), GATE));
        return Arrays.equals(gate, OPEN) ? DurableStep.Outcome.DONE : settle(at);
    }

    /**
     * The record is durable, but another process has closed the gate. The record is valid if it
     * precedes the end of the epoch; if no end is recorded yet, records one that includes it.
     */
    private DurableStep.Outcome settle(LogPosition at) {
        End end = end(at.epoch());
        if (end == null) {
            End ours = new End(at.epoch(), at.slot() + 1, NOBODY, at.epoch() + 1);
            if (putEnd(ours) == DurableStep.Outcome.UNKNOWN) {
                return DurableStep.Outcome.UNKNOWN;
            }
            end = requireEnd(at.epoch());
        }
        return at.slot() < end.slots ? DurableStep.Outcome.DONE : DurableStep.Outcome.FENCED;
    }

    /**
     * Returns no record of an epoch that has not ended: it is not yet known which records are
     * valid.
     */
    @Override
    public byte @Nullable [] read(LogPosition at) {
        End end = end(at.epoch());
        if (end == null) {
            return null;
        }
        return at.slot() < end.slots
                ? store.get(CommitLog.TABLE, layout.logKey(at))
                : LogCodec.encode(new LogRecord.Seal(end.nextEpoch, end.sealer));
    }

    @Override
    public Sealing seal(LogPosition at, LogRecord.Seal seal, BooleanSupplier nothingRemoved) {
        if (end(at.epoch()) != null) {
            // It has an end but no record here: the record was removed.
            return Sealing.REMOVED;
        }
        putGate(at.epoch(), CLOSED, CLOSED_VERSION);
        long slots = firstFree(at);
        // Checked after the slots were read: a slot that seemed free may have been removed.
        if (!nothingRemoved.getAsBoolean()) {
            return Sealing.REMOVED;
        }
        End end = new End(at.epoch(), slots, seal.nonce(), seal.nextEpoch());
        if (putEnd(end) == DurableStep.Outcome.UNKNOWN) {
            throw ConditionalSlots.unanswered(at);
        }
        return Sealing.READ_AGAIN;
    }

    /**
     * The last record may have been in flight when the gate was closed and be on some replicas
     * only. It is written again before it becomes valid, so that every later reader finds it.
     */
    private long firstFree(LogPosition from) {
        LogPosition at = from;
        byte[] last = null;
        byte[] row = store.get(CommitLog.TABLE, layout.logKey(at));
        while (row != null) {
            last = row;
            at = at.next();
            row = store.get(CommitLog.TABLE, layout.logKey(at));
        }
        if (last != null) {
            byte[] key = layout.logKey(new LogPosition(at.epoch(), at.slot() - 1));
            putPart(key, last, CommitLog.versionOf(last));
        }
        return at.slot();
    }

    private DurableStep.Outcome putEnd(End end) {
        ByteBuffer bytes =
                ByteBuffer.allocate(END_BYTES)
                        .put(END_KIND)
                        .putLong(end.sealer)
                        .putLong(end.nextEpoch)
                        .putLong(end.slots);
        bytes.putInt(LogCodec.checksum(bytes.array(), bytes.position()));
        return step.putIfAbsent(CommitLog.TABLE, key(end.epoch, END), bytes.array());
    }

    private End requireEnd(long epoch) {
        return Objects.requireNonNull(end(epoch), "the end record of the log disappeared");
    }

    private @Nullable End end(long epoch) {
        End last = known;
        if (last != null && last.epoch == epoch) {
            return last;
        }
        byte[] row = step.read(CommitLog.TABLE, key(epoch, END));
        if (row == null) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.wrap(row);
        if (row.length != END_BYTES
                || bytes.get() != END_KIND
                || bytes.getInt(END_BYTES - Integer.BYTES)
                        != LogCodec.checksum(row, END_BYTES - Integer.BYTES)) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    "The end of an epoch of the commit log is damaged. Restore the store from a"
                            + " backup.",
                    "epoch",
                    epoch);
        }
        long sealer = bytes.getLong();
        long nextEpoch = bytes.getLong();
        End found = new End(epoch, bytes.getLong(), sealer, nextEpoch);
        known = found;
        return found;
    }

    /**
     * Deletes from the start of each epoch, so that one deletion replaces the earlier ones. This
     * includes the parts, which are stored between their slots.
     */
    @Override
    public void remove(List<LogPosition> slots, List<byte[]> parts, LogCheckpoint reached) {
        WriteBatch ranges = new WriteBatch();
        slots.stream()
                .mapToLong(LogPosition::epoch)
                .distinct()
                .forEach(
                        epoch -> {
                            long to = epoch < reached.next().epoch() ? END : reached.next().slot();
                            ranges.deleteRange(
                                    CommitLog.TABLE, new KeyRange(key(epoch, 0), key(epoch, to)));
                        });
        if (!ranges.isEmpty()) {
            step.putIfNewer(ranges, reached.last().version());
        }
    }

    private byte[] key(long epoch, long slot) {
        return layout.logKey(new LogPosition(epoch, slot));
    }
}
