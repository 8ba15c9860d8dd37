package petrichor.transactions.migration;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;
import petrichor.transactions.RowCursor;
import petrichor.transactions.log.FollowerRows;
import petrichor.transactions.rows.ReadPoint;
import petrichor.transactions.rows.RowSource;
import petrichor.transactions.rows.TableLayout;
import petrichor.transactions.rows.VersionReader;

/**
 * Compares two stores at one version: hashes of ranges of rows, index rows included, and row by row
 * where they differ. Rows are read at the version on both sides, while both are written. History
 * and internal rows are compared as they are; what differs because it has just changed is read
 * again until it is quiet. Confined to one thread.
 */
final class Comparison implements AutoCloseable {
    private static final int RANGE_ROWS = 2_000;
    private static final int EXAMPLES_MAX = 10;

    /** Rows to read again; more that differ are mismatches. */
    private static final int UNQUIET_MAX = 100_000;

    /** How often a row that changes is read again. */
    static final int ROUNDS_MAX = 20;

    private final MigrationContext context;
    private final TableLayout layout;
    private final Reads source;
    private final Reads target;
    private final ReadPoint point;
    private final ReadPoint copyPoint;
    private final VersionReader rows;
    private final VersionReader copiedRows;
    private final List<String> examples = new ArrayList<>();
    private final Map<Bytes, String> unquiet = new TreeMap<>();
    private byte @Nullable [] next = new byte[0];
    private int stored;
    private byte[] nextStored = {};
    private int rounds;
    private long needed;
    private boolean settled;
    private long compared;
    private long mismatches;

    /** Reads the newest version; compare once the other store has it. */
    Comparison(MigrationContext context, FollowerRows follower) {
        this.context = context;
        this.layout = context.layout();
        this.source = context.durable().rows();
        this.target = follower.store();
        this.point = context.durable().readPoints().newest();
        this.needed = point.version();
        this.copyPoint = new ReadPoint(point.version(), RowSource.beside(target), false, () -> {});
        this.rows = new VersionReader(layout, point, context.ceiling(), null, null);
        this.copiedRows = new VersionReader(layout, copyPoint, context.ceiling(), null, null);
    }

    long version() {
        return point.version();
    }

    MigrationState.Verified result() {
        return new MigrationState.Verified(version(), compared, mismatches, examples);
    }

    /** The next round needs the steps up to this version in the other store. */
    long needed() {
        return needed;
    }

    /**
     * Compares the next range; false if none is left. Both stores are at the same position.
     *
     * @param state as it is stored, or newer
     */
    boolean round(MigrationState state) {
        byte[] from = next;
        if (from != null) {
            next = compareRows(from);
            return true;
        }
        if (stored < 2) {
            compareStored(stored == 0 ? TableLayout.HISTORY : TableLayout.META);
            return true;
        }
        if (!unquiet.isEmpty() && !settled) {
            settle(state);
            return true;
        }
        return compareUnquiet();
    }

    /**
     * What differs may belong to a step that is in the store of the owner and not published: of an
     * outcome that waits for recovery, or a promise of versions. The other store receives it only
     * with the next published step, which may be later than all rounds: so this is one.
     */
    private void settle(MigrationState state) {
        context.write(MigrationRows.withState(layout, state));
        needed = context.newestVersion();
        settled = true;
    }

    private byte @Nullable [] compareRows(byte[] from) {
        MessageDigest hash = sha256();
        byte[] end = hashed(rows, new KeyRange(from, null), hash, RANGE_ROWS);
        KeyRange range = new KeyRange(from, end);
        MessageDigest copied = sha256();
        var _ = hashed(copiedRows, range, copied, Integer.MAX_VALUE);
        if (!Arrays.equals(hash.digest(), copied.digest())) {
            compareEach(range);
        }
        return end;
    }

    /** The end of the range that was read; null for the last one. */
    private byte @Nullable [] hashed(
            VersionReader reader, KeyRange range, MessageDigest hash, int rowsMax) {
        int read = 0;
        try (RowCursor cursor = reader.scan(range, Direction.FORWARD)) {
            while (cursor.next()) {
                add(hash, cursor.key());
                hash.update(number(cursor.version()));
                add(hash, cursor.value());
                if (rowsMax != Integer.MAX_VALUE) {
                    compared++;
                }
                if (++read == rowsMax) {
                    return Bytes.successor(cursor.key());
                }
            }
        }
        return null;
    }

    private static void add(MessageDigest hash, byte[] bytes) {
        hash.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
        hash.update(bytes);
    }

    private static byte[] number(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private void compareEach(KeyRange range) {
        Map<Bytes, byte[]> one = all(rows, range);
        Map<Bytes, byte[]> other = all(copiedRows, range);
        one.forEach(
                (key, value) -> {
                    if (!Arrays.equals(value, other.remove(key))) {
                        mismatch(TableLayout.ROWS, key.array());
                    }
                });
        other.keySet().forEach(key -> mismatch(TableLayout.ROWS, key.array()));
    }

    private static Map<Bytes, byte[]> all(VersionReader reader, KeyRange range) {
        Map<Bytes, byte[]> all = new TreeMap<>();
        try (RowCursor cursor = reader.scan(range, Direction.FORWARD)) {
            while (cursor.next()) {
                all.put(
                        Bytes.of(cursor.key()),
                        Bytes.concat(number(cursor.version()), cursor.value()));
            }
        }
        return all;
    }

    private void mismatch(String table, byte[] key) {
        mismatches++;
        if (examples.size() < EXAMPLES_MAX) {
            examples.add(table + " " + HexFormat.of().formatHex(key));
        }
    }

    /** A chunk of a table, in the form in which it is stored. */
    private void compareStored(String table) {
        KeyRange all = table.equals(TableLayout.HISTORY) ? layout.allHistory() : layout.allMeta();
        byte[] from = nextStored.length == 0 ? all.from() : nextStored;
        byte[][] reached = new byte[1][];
        Map<Bytes, byte[]> one = stored(source, table, new KeyRange(from, all.to()), reached);
        byte[] end = reached[0] == null ? all.to() : reached[0];
        Map<Bytes, byte[]> other = stored(target, table, new KeyRange(from, end), null);
        one.forEach(
                (key, value) -> {
                    if (!Arrays.equals(value, other.remove(key))) {
                        readAgain(table, key);
                    }
                });
        other.keySet().forEach(key -> readAgain(table, key));
        compared += one.size();
        if (reached[0] == null) {
            stored++;
            nextStored = new byte[0];
        } else {
            nextStored = reached[0];
        }
    }

    private void readAgain(String table, Bytes key) {
        if (unquiet.size() < UNQUIET_MAX) {
            unquiet.put(key, table);
        } else {
            mismatch(table, key.array());
        }
    }

    /**
     * @param reached receives where to continue; null to read the whole range
     */
    private Map<Bytes, byte[]> stored(
            Reads from, String table, KeyRange range, byte @Nullable [] @Nullable [] reached) {
        Map<Bytes, byte[]> found = new TreeMap<>();
        int read = 0;
        int limit = reached == null ? Integer.MAX_VALUE : RANGE_ROWS;
        try (Scan scan = from.scan(table, range, Direction.FORWARD, limit)) {
            while (scan.next()) {
                if (!table.equals(TableLayout.META)
                        || !MigrationRows.isOfStore(layout, scan.key())) {
                    found.put(Bytes.of(scan.key()), scan.value());
                }
                if (++read == limit && reached != null) {
                    reached[0] = Bytes.successor(scan.key());
                }
            }
        }
        return found;
    }

    /** Reads again what differed: false if all is equal now, or if it stays different. */
    private boolean compareUnquiet() {
        unquiet.entrySet()
                .removeIf(
                        row ->
                                Arrays.equals(
                                        source.get(row.getValue(), row.getKey().array()),
                                        target.get(row.getValue(), row.getKey().array())));
        settled = false;
        if (!unquiet.isEmpty() && ++rounds < ROUNDS_MAX) {
            return true;
        }
        unquiet.forEach((key, table) -> mismatch(table, key.array()));
        unquiet.clear();
        return false;
    }

    @Override
    public void close() {
        point.leave();
    }
}
