package petrichor.transactions.migration;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.transactions.log.LogCodec;
import petrichor.transactions.log.LogRecord;
import petrichor.transactions.rows.TableLayout;

/**
 * The rows of a migration in the meta table of the store that holds the database. They describe
 * that store, so they are neither captured nor copied.
 *
 * <pre>
 *   meta     'd' database(4) 'M' version(8) part(4)   -> part of a captured step
 *   meta     'd' database(4) 'Y'                      -> {@link MigrationState}
 *   meta     'r' database(4)                          -> {@link Residence}; stays when rows are
 *                                                        removed
 * </pre>
 *
 * Pure functions.
 */
final class MigrationRows {
    private static final char CAPTURED = 'M';
    private static final char STATE = 'Y';

    /** Of the commit point; each store has its own. */
    private static final char LAST_COMMIT = 'V';

    private MigrationRows() {}

    static byte[] stateKey(TableLayout layout) {
        return layout.meta(STATE);
    }

    static byte[] residenceKey(TableLayout layout) {
        return ByteBuffer.allocate(1 + Integer.BYTES)
                .put((byte) 'r')
                .putInt(layout.database())
                .array();
    }

    static @Nullable MigrationState state(Reads rows, TableLayout layout) {
        byte[] stored = rows.get(TableLayout.META, stateKey(layout));
        return stored == null ? null : MigrationState.decode(stored);
    }

    /** Stores the state. */
    static WriteBatch withState(TableLayout layout, MigrationState state) {
        return new WriteBatch().put(TableLayout.META, stateKey(layout), state.encode());
    }

    /** Removes the state and the captured steps. */
    static WriteBatch withoutState(TableLayout layout) {
        return new WriteBatch()
                .delete(TableLayout.META, stateKey(layout))
                .deleteRange(TableLayout.META, captured(layout));
    }

    static KeyRange captured(TableLayout layout) {
        return KeyRange.ofPrefix(layout.meta(CAPTURED));
    }

    /** The captured steps up to a version. */
    static KeyRange capturedUpTo(TableLayout layout, long version) {
        return new KeyRange(layout.meta(CAPTURED), layout.meta(CAPTURED, version + 1));
    }

    /** Whether a row of the meta table belongs to the store itself, not to the database. */
    static boolean isOfStore(TableLayout layout, byte[] metaKey) {
        return Bytes.startsWith(metaKey, layout.meta(CAPTURED))
                || Arrays.equals(metaKey, layout.meta(STATE))
                || Arrays.equals(metaKey, layout.meta(LAST_COMMIT));
    }

    /** Adds a copy of the step to its rows. */
    static void capture(TableLayout layout, WriteBatch rows, long version, int partBytes) {
        WriteBatch copied = new WriteBatch();
        for (WriteBatch.Op change : rows.ops()) {
            if (!isOfStore(layout, change)) {
                copied.add(change);
            }
        }
        if (copied.isEmpty()) {
            return;
        }
        byte[] whole = LogCodec.encode(new LogRecord.Batch(0, version, 0, copied));
        int part = 0;
        for (int from = 0; from < whole.length; from += partBytes) {
            byte[] start = layout.meta(CAPTURED, version);
            byte[] key =
                    ByteBuffer.allocate(start.length + Integer.BYTES)
                            .put(start)
                            .putInt(part++)
                            .array();
            rows.put(
                    TableLayout.META,
                    key,
                    Arrays.copyOfRange(whole, from, Math.min(whole.length, from + partBytes)));
        }
    }

    private static boolean isOfStore(TableLayout layout, WriteBatch.Op change) {
        return change.table().equals(TableLayout.META)
                && switch (change) {
                    case WriteBatch.Put(String _, byte[] key, byte[] _) -> isOfStore(layout, key);
                    case WriteBatch.Delete(String _, byte[] key) -> isOfStore(layout, key);
                    case WriteBatch.DeleteRange(String _, KeyRange range) ->
                            isOfStore(layout, range.from());
                };
    }

    /**
     * Captured steps after a position, in order: up to about {@code bytesMax} bytes, but at least
     * one if there is one.
     */
    static List<LogRecord.Batch> read(
            Reads rows, TableLayout layout, long after, long upTo, long bytesMax) {
        List<LogRecord.Batch> steps = new ArrayList<>();
        ByteArrayOutputStream parts = new ByteArrayOutputStream();
        long bytes = 0;
        long version = 0;
        KeyRange range =
                new KeyRange(layout.meta(CAPTURED, after + 1), layout.meta(CAPTURED, upTo + 1));
        try (Scan scan = rows.scan(TableLayout.META, range, Direction.FORWARD, Integer.MAX_VALUE)) {
            while (scan.next()) {
                byte[] key = scan.key();
                long of = TableLayout.longAt(key, key.length - Integer.BYTES - Long.BYTES);
                if (of != version) {
                    add(parts, steps);
                    if (bytes >= bytesMax) {
                        return steps;
                    }
                    version = of;
                }
                bytes += scan.value().length;
                parts.writeBytes(scan.value());
            }
        }
        add(parts, steps);
        return steps;
    }

    private static void add(ByteArrayOutputStream parts, List<LogRecord.Batch> steps) {
        if (parts.size() > 0) {
            if (!(LogCodec.decode(parts.toByteArray()) instanceof LogRecord.Batch step)) {
                throw damaged();
            }
            steps.add(step);
            parts.reset();
        }
    }

    static PetrichorException damaged() {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                "The state of the database's migration is damaged, or was written by a later"
                        + " version of Petrichor. Start that version, or restore the store from a"
                        + " backup.");
    }
}
