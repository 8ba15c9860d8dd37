package petrichor.transactions.rows;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;
import petrichor.transactions.Row;
import petrichor.transactions.databases.StoreMembership;
import petrichor.transactions.databases.StoreTerms;

/**
 * The layout of a database's rows in the store's tables, which all databases share. Pure functions.
 *
 * <pre>
 *   rows     database(4) key                                    -> version(8) payload
 *   history  database(4) hour(4) escaped-key superseded-at(8)   -> version(8) payload
 *   meta     'd' database(4) what ...                           -> see the callers
 *   meta     'n' name                                           -> database(4) salt(8) placement
 *                                                                  [00 parent(4) version(8) name]
 *   meta     'f' database(4) branch(4)                          -> name of the branch
 *   meta     'h'                                                -> see {@link StoreMembership}
 *   meta     't' number(8), 'b' term(8) nonce(16)               -> see {@link StoreTerms}
 *   meta     'l' database(4)                                    -> how far the log is applied
 *   meta     'a' database(4)                                    -> how far it is in this store
 * </pre>
 *
 * A key inside a history row is escaped (00 becomes 00 FF) and terminated by 00 01, so that the
 * order of keys is preserved although more bytes follow. The hour is that of superseded-at: one
 * range delete removes the history of an hour.
 */
public final class TableLayout {
    public static final String ROWS = "rows";
    public static final String HISTORY = "history";
    public static final String META = "meta";

    private static final int DATABASE_BYTES = 4;
    private static final int HOUR_BYTES = 4;
    private static final int VERSION_BYTES = 8;
    private static final long HOUR_MICROS = 3_600_000_000L;

    /** In meta: what each step changed. */
    private static final char CHANGES = 'C';

    /** In meta: which ranges of rows are in which stores. */
    private static final char RING = 'Q';

    private final int database;
    private final long branchedAt;
    private final byte[] prefix;

    public TableLayout(int database) {
        this(database, 0);
    }

    private TableLayout(int database, long branchedAt) {
        this.database = database;
        this.branchedAt = branchedAt;
        this.prefix = ByteBuffer.allocate(DATABASE_BYTES).putInt(database).array();
    }

    /**
     * The layout of a branch, whose payloads are stored as in {@link Shadows}.
     *
     * @param version of its parent that it shares; its own versions are higher
     */
    public static TableLayout ofBranch(int database, long version) {
        return new TableLayout(database, version);
    }

    public int database() {
        return database;
    }

    /** The version at which this branch begins; 0 if it is not a branch. */
    public long branchedAt() {
        return branchedAt;
    }

    public boolean isBranch() {
        return branchedAt > 0;
    }

    /** The row that a stored row of this database represents; null if that does not exist. */
    public @Nullable Row decoded(byte[] key, byte[] value) {
        Row stored = row(key, value);
        return isBranch() ? Shadows.decode(stored) : stored;
    }

    // ---- rows

    public byte[] rowKey(byte[] key) {
        byte[] row = new byte[DATABASE_BYTES + key.length];
        System.arraycopy(prefix, 0, row, 0, DATABASE_BYTES);
        System.arraycopy(key, 0, row, DATABASE_BYTES, key.length);
        return row;
    }

    public KeyRange rowRange(KeyRange range) {
        byte[] to = range.to();
        byte[] end = to == null ? Bytes.afterPrefix(prefix) : rowKey(to);
        return new KeyRange(rowKey(range.from()), end);
    }

    public KeyRange allRows() {
        return KeyRange.ofPrefix(prefix);
    }

    public static byte[] keyOfRow(byte[] rowKey) {
        return Arrays.copyOfRange(rowKey, DATABASE_BYTES, rowKey.length);
    }

    /** The keys whose rows are in a range of the table; the range is within one database. */
    public static KeyRange keysOfRows(KeyRange range) {
        byte[] to = range.to();
        byte[] from = keyOfRow(range.from());
        return to == null || !sameStart(range.from(), to, DATABASE_BYTES)
                ? new KeyRange(from, null)
                : new KeyRange(from, keyOfRow(to));
    }

    private static boolean sameStart(byte[] one, byte[] other, int length) {
        return one.length >= length
                && other.length >= length
                && Arrays.equals(one, 0, length, other, 0, length);
    }

    public static byte[] value(long version, byte[] payload) {
        byte[] value = new byte[VERSION_BYTES + payload.length];
        putLong(value, 0, version);
        System.arraycopy(payload, 0, value, VERSION_BYTES, payload.length);
        return value;
    }

    public static long versionOf(byte[] value) {
        return longAt(value, 0);
    }

    static byte[] payloadOf(byte[] value) {
        return Arrays.copyOfRange(value, VERSION_BYTES, value.length);
    }

    public static Row row(byte[] key, byte[] value) {
        return new Row(key, versionOf(value), payloadOf(value));
    }

    // ---- history

    public static int hourOf(long version) {
        return (int) (version / HOUR_MICROS);
    }

    public static long startOfHour(int hour) {
        return hour * HOUR_MICROS;
    }

    public byte[] historyKey(byte[] key, long supersededAt) {
        return historyKey(hourOf(supersededAt), key, supersededAt);
    }

    /**
     * The start, within an hour, of the history of {@code key} that was superseded at or after the
     * given version.
     */
    public byte[] historyKey(int hour, byte[] key, long supersededAt) {
        int zeros = 0;
        for (byte b : key) {
            if (b == 0) {
                zeros++;
            }
        }
        byte[] row = new byte[DATABASE_BYTES + HOUR_BYTES + key.length + zeros + 2 + VERSION_BYTES];
        System.arraycopy(prefix, 0, row, 0, DATABASE_BYTES);
        putInt(row, DATABASE_BYTES, hour);
        int at = DATABASE_BYTES + HOUR_BYTES;
        for (byte b : key) {
            row[at++] = b;
            if (b == 0) {
                row[at++] = (byte) 0xFF;
            }
        }
        row[at + 1] = 1;
        putLong(row, at + 2, supersededAt);
        return row;
    }

    /** The history of a range of keys within one hour. */
    public KeyRange historyRange(int hour, KeyRange range) {
        byte[] to = range.to();
        byte[] end = to == null ? Bytes.afterPrefix(hourPrefix(hour)) : historyKey(hour, to, 0);
        return new KeyRange(historyKey(hour, range.from(), 0), end);
    }

    /** The hour of the history in a range; -1 if it may have several. */
    public int hourOfRange(KeyRange range) {
        byte[] to = range.to();
        return to != null
                        && range.from().length >= DATABASE_BYTES + HOUR_BYTES
                        && sameStart(range.from(), to, DATABASE_BYTES + HOUR_BYTES)
                ? ByteBuffer.wrap(to).getInt(DATABASE_BYTES)
                : -1;
    }

    /** All history that was superseded before the hour began. */
    public KeyRange historyBefore(int hour) {
        return new KeyRange(prefix, hourPrefix(hour));
    }

    public KeyRange allHistory() {
        return KeyRange.ofPrefix(prefix);
    }

    private byte[] hourPrefix(int hour) {
        byte[] start = Arrays.copyOf(prefix, DATABASE_BYTES + HOUR_BYTES);
        putInt(start, DATABASE_BYTES, hour);
        return start;
    }

    /** The maximum length of a key in any of the tables: every byte escaped. */
    public static long storedKeyBytesMax(byte[] key) {
        return DATABASE_BYTES + HOUR_BYTES + 2L * key.length + 2 + VERSION_BYTES;
    }

    public static long storedValueBytes(byte[] payload) {
        return VERSION_BYTES + (long) payload.length;
    }

    public static byte[] keyOfHistory(byte[] historyKey) {
        int end = historyKey.length - VERSION_BYTES - 2;
        ByteArrayOutputStream key = new ByteArrayOutputStream(end);
        for (int at = DATABASE_BYTES + HOUR_BYTES; at < end; at++) {
            key.write(historyKey[at]);
            if (historyKey[at] == 0) {
                at++;
            }
        }
        return key.toByteArray();
    }

    /** The keys whose history may be in a range, within one hour or over all hours. */
    public static KeyRange keysOfHistory(KeyRange range) {
        byte[] from = range.from();
        byte[] to = range.to();
        if (to == null
                || !isHistoryKey(from)
                || !isHistoryKey(to)
                || !sameStart(from, to, DATABASE_BYTES + HOUR_BYTES)) {
            return KeyRange.ALL;
        }
        return new KeyRange(keyOfHistory(from), Bytes.successor(keyOfHistory(to)));
    }

    private static boolean isHistoryKey(byte[] key) {
        int end = key.length - VERSION_BYTES;
        return end >= DATABASE_BYTES + HOUR_BYTES + 2 && key[end - 2] == 0 && key[end - 1] == 1;
    }

    public static int hourOfHistory(byte[] historyKey) {
        return ByteBuffer.wrap(historyKey).getInt(DATABASE_BYTES);
    }

    static long supersededAt(byte[] historyKey) {
        return longAt(historyKey, historyKey.length - VERSION_BYTES);
    }

    // ---- meta

    /** The fencing domain of this database's commit point in the store. */
    public byte[] fenceDomain() {
        return fenceDomain("database/");
    }

    /** The fencing domain of a part of this database that is guarded separately. */
    public byte[] fenceDomain(String what) {
        return Bytes.concat(what.getBytes(StandardCharsets.UTF_8), prefix);
    }

    public byte[] meta(char what) {
        byte[] key = new byte[1 + DATABASE_BYTES + 1];
        key[0] = 'd';
        System.arraycopy(prefix, 0, key, 1, DATABASE_BYTES);
        key[key.length - 1] = (byte) what;
        return key;
    }

    public byte[] meta(char what, long number) {
        byte[] start = meta(what);
        byte[] key = Arrays.copyOf(start, start.length + Long.BYTES);
        putLong(key, start.length, number);
        return key;
    }

    /** A part of the record of what a step changed, in version order. */
    public byte[] changeKey(long version, int part) {
        byte[] start = meta(CHANGES, version);
        byte[] key = Arrays.copyOf(start, start.length + Integer.BYTES);
        putInt(key, start.length, part);
        return key;
    }

    /** After all parts of the records up to a version. */
    public byte[] changesEnd(long version) {
        return meta(CHANGES, version + 1);
    }

    /** The records of all steps with higher versions. */
    public KeyRange changes(long after) {
        return new KeyRange(changeKey(after + 1, 0), Bytes.afterPrefix(meta(CHANGES)));
    }

    /** The records of all steps before a version. */
    public KeyRange changesBefore(long version) {
        return new KeyRange(meta(CHANGES), meta(CHANGES, version));
    }

    public static boolean isFirstPart(byte[] changeKey) {
        return longAt(changeKey, changeKey.length - Long.BYTES) << Integer.SIZE == 0;
    }

    public static long versionOfChange(byte[] changeKey) {
        return longAt(changeKey, changeKey.length - Integer.BYTES - Long.BYTES);
    }

    public KeyRange allMeta() {
        return KeyRange.ofPrefix(Bytes.concat(new byte[] {'d'}, prefix));
    }

    /** Which ranges of the rows are in which stores. */
    public byte[] ringKey() {
        return meta(RING);
    }

    // ---- log, of stores that cannot write a batch atomically

    public byte[] logKey(LogPosition at) {
        byte[] key = Arrays.copyOf(prefix, DATABASE_BYTES + 2 * Long.BYTES);
        putLong(key, DATABASE_BYTES, at.epoch());
        putLong(key, DATABASE_BYTES + Long.BYTES, at.slot());
        return key;
    }

    /** Not part of {@link #allMeta}: needed as long as the log has seals. */
    public byte[] logHintKey() {
        return Bytes.concat(new byte[] {'l'}, prefix);
    }

    /** Not part of {@link #allMeta} either: late rows of a dropped database must encounter it. */
    public byte[] appliedKey() {
        return Bytes.concat(new byte[] {'a'}, prefix);
    }

    // ---- names

    public static byte[] nameKey(String name) {
        return Bytes.concat(new byte[] {'n'}, name.getBytes(StandardCharsets.UTF_8));
    }

    /** A branch of this database, by its number. */
    public byte[] branchKey(int branch) {
        byte[] key = Arrays.copyOf(branches().from(), 1 + 2 * DATABASE_BYTES);
        putInt(key, 1 + DATABASE_BYTES, branch);
        return key;
    }

    /** The branches of this database. */
    public KeyRange branches() {
        return KeyRange.ofPrefix(Bytes.concat(new byte[] {'f'}, prefix));
    }

    // ---- numbers, big endian

    public static long longAt(byte[] array, int at) {
        long number = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            number = number << 8 | (array[at + i] & 0xFF);
        }
        return number;
    }

    public static void putLong(byte[] array, int at, long number) {
        for (int i = Long.BYTES - 1; i >= 0; i--) {
            array[at + i] = (byte) number;
            number >>>= 8;
        }
    }

    private static void putInt(byte[] array, int at, int number) {
        for (int i = Integer.BYTES - 1; i >= 0; i--) {
            array[at + i] = (byte) number;
            number >>>= 8;
        }
    }
}
