package petrichor.kv.dynamodb;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.DeletedRanges;
import petrichor.kv.KeyRange;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Metadata of a table, in a separate partition: its {@link DeletedRanges}. Readers cache them and
 * read them again when they are {@link #AGE_MAX} old; so another process may see a late older row
 * in a range that was deleted less than that before.
 *
 * <p>Thread-safe.
 */
final class TableMetadata {
    static final Duration AGE_MAX = Duration.ofSeconds(1);

    private static final byte RANGE = 'r';
    private static final int RANGE_KEY_BYTES = 1 + Long.BYTES + Integer.BYTES;

    private record Known(DeletedRanges ranges, long readAtNanos) {}

    private final DynamoDbConnection connection;
    private final String table;
    private volatile @Nullable Known known;

    /** The known notes, by key, with their ranges; guarded by this. */
    private final Map<Bytes, KeyRange> notes = new HashMap<>();

    TableMetadata(DynamoDbConnection connection, String table) {
        this.connection = connection;
        this.table = table;
    }

    /** Whether the row exists: deleted neither by itself nor with a range. */
    boolean counts(Map<String, AttributeValue> item) {
        if (StoredItem.isTombstone(item)) {
            return false;
        }
        DeletedRanges ranges = deletedRanges();
        return ranges.isEmpty()
                || !StoredItem.hasVersion(item)
                || StoredItem.version(item) >= ranges.at(StoredItem.key(item));
    }

    /** The deleted ranges, at most {@link #AGE_MAX} old. */
    DeletedRanges deletedRanges() {
        Known fresh = fresh();
        return fresh == null ? read() : fresh.ranges;
    }

    private @Nullable Known fresh() {
        Known now = known;
        return now == null || System.nanoTime() - now.readAtNanos > AGE_MAX.toNanos() ? null : now;
    }

    private synchronized DeletedRanges read() {
        Known fresh = fresh();
        if (fresh != null) {
            return fresh.ranges;
        }
        long now = System.nanoTime();
        notes.clear();
        DeletedRanges ranges = DeletedRanges.EMPTY;
        ItemPages pages =
                new ItemPages(
                        connection,
                        table,
                        ItemPages.Query.of(
                                StoredItem.NOTES, new byte[] {RANGE}, new byte[] {RANGE + 1}));
        for (var page = pages.next(); page != null; page = pages.next()) {
            for (Map<String, AttributeValue> note : page) {
                KeyRange range =
                        new KeyRange(
                                StoredItem.required(note, StoredItem.RANGE_FROM),
                                StoredItem.bytesOf(note, StoredItem.RANGE_TO));
                notes.put(Bytes.of(StoredItem.required(note, StoredItem.SORT)), range);
                ranges = ranges.with(range, StoredItem.version(note));
            }
        }
        known = new Known(ranges, now);
        return ranges;
    }

    /**
     * From now on rows in the range must have at least this version.
     *
     * @param number distinguishes the ranges of one version
     */
    synchronized void deleteRange(KeyRange range, long version, int number) {
        DeletedRanges before = deletedRanges();
        if (before.covers(range, version)) {
            return;
        }
        byte[] key =
                ByteBuffer.allocate(RANGE_KEY_BYTES)
                        .put(RANGE)
                        .putLong(version)
                        .putInt(number)
                        .array();
        Map<String, AttributeValue> note = StoredItem.at(StoredItem.NOTES, key);
        note.put(StoredItem.RANGE_FROM, StoredItem.bytes(range.from()));
        byte[] to = range.to();
        if (to != null) {
            note.put(StoredItem.RANGE_TO, StoredItem.bytes(to));
        }
        note.put(StoredItem.VERSION, StoredItem.number(version));
        connection.call(
                table,
                client -> client.putItem(put -> put.tableName(connection.name(table)).item(note)));
        long readAt = known == null ? System.nanoTime() : known.readAtNanos;
        known = new Known(before.with(range, version), readAt);
        forgetWhatIsCovered(range, version);
        notes.put(Bytes.of(key), range);
    }

    /** Otherwise history, which is dropped hour by hour, would leave a note for each hour. */
    private void forgetWhatIsCovered(KeyRange range, long version) {
        DeletedRanges one = DeletedRanges.EMPTY.with(range, version);
        notes.entrySet()
                .removeIf(
                        note -> {
                            byte[] key = note.getKey().array();
                            boolean covered =
                                    one.covers(note.getValue(), ByteBuffer.wrap(key).getLong(1));
                            if (covered) {
                                forget(key);
                            }
                            return covered;
                        });
    }

    private void forget(byte[] key) {
        connection.call(
                table,
                client ->
                        client.deleteItem(
                                delete ->
                                        delete.tableName(connection.name(table))
                                                .key(StoredItem.at(StoredItem.NOTES, key))));
    }
}
