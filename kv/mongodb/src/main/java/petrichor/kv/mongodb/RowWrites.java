package petrichor.kv.mongodb;

import static com.mongodb.client.model.Filters.and;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.DeleteOneModel;
import com.mongodb.client.model.InsertManyOptions;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.WriteModel;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;

/**
 * Writes changes to one table, which exists. Inserts rows, all in one request, and replaces those
 * that existed, comparing versions if there are any. Failures are the driver's. Changes are atomic
 * by row only, and all of them are idempotent. Thread-safe.
 *
 * <p>A range deletion is recorded before its rows are deleted. An older row in flight from another
 * server at that very moment, checked before the record and written after the deletion, reappears;
 * this is possible only for late rows of an owner that has lost its database.
 */
final class RowWrites {
    /** So that a large batch is not one request that exceeds the timeout. */
    static final int ROWS_PER_REQUEST = 500;

    /**
     * Far below the size limit of a message; the driver divides requests above the limits that the
     * server reports.
     */
    static final long BYTES_PER_REQUEST = 8L << 20;

    private static final InsertManyOptions ALL_THAT_CAN_BE = new InsertManyOptions().ordered(false);
    private static final BulkWriteOptions IN_ANY_ORDER = new BulkWriteOptions().ordered(false);

    private final MongoCatalog catalogue;
    private final VersionedReplacement replacement;
    private final InstantSource clock;

    RowWrites(MongoCatalog catalogue, VersionedReplacement replacement, InstantSource clock) {
        this.catalogue = catalogue;
        this.replacement = replacement;
        this.clock = clock;
    }

    /** Writes rows regardless of their state. */
    void write(TableChanges changes) {
        MongoCollection<BsonDocument> rows = catalogue.rows(changes.table());
        for (KeyRange range : changes.ranges()) {
            rows.deleteMany(RowDocument.in(range));
        }
        List<BsonDocument> puts = new ArrayList<>();
        List<WriteModel<BsonDocument>> others = new ArrayList<>();
        changes.rows()
                .forEach(
                        (key, value) -> {
                            String text = KeyText.of(key.array());
                            if (value == null) {
                                others.add(new DeleteOneModel<>(RowDocument.withKey(text)));
                            } else {
                                puts.add(RowDocument.of(text, value));
                            }
                        });
        for (BsonDocument row : insert(rows, puts)) {
            others.add(
                    new ReplaceOneModel<>(
                            RowDocument.withKey(RowDocument.key(row)),
                            row,
                            new ReplaceOptions().upsert(true)));
        }
        for (List<WriteModel<BsonDocument>> some : requests(others, RowWrites::bytes)) {
            rows.bulkWrite(some, IN_ANY_ORDER);
        }
    }

    /** Writes rows unless newer ones exist. */
    void putIfNewer(TableChanges changes, long version) {
        MongoCollection<BsonDocument> rows = catalogue.rows(changes.table());
        replacement.inTurn(
                changes.table(),
                () -> {
                    for (KeyRange range : changes.ranges()) {
                        catalogue.noteDeleted(changes.table(), range, version, clock.instant());
                        rows.deleteMany(
                                and(RowDocument.in(range), RowDocument.notNewerThan(version)));
                    }
                    if (!changes.rows().isEmpty()) {
                        putIfNewer(rows, notOutdated(changes, version), version);
                    }
                });
    }

    /**
     * An existing row that is not replaced has a newer version, or was a tombstone that was just
     * removed: so the rest is retried until no row can be inserted any more.
     */
    private void putIfNewer(
            MongoCollection<BsonDocument> rows, List<BsonDocument> documents, long version) {
        List<BsonDocument> there = insert(rows, documents);
        while (!there.isEmpty()) {
            int replaced = 0;
            for (List<BsonDocument> some : requests(there)) {
                replaced += replacement.replace(rows, some, version);
            }
            if (replaced == there.size()) {
                return;
            }
            List<BsonDocument> still = insert(rows, there);
            if (still.size() == there.size()) {
                return;
            }
            there = still;
        }
    }

    /** The rows and tombstones that no newer range deletion covers. */
    private List<BsonDocument> notOutdated(TableChanges changes, long version) {
        List<MongoCatalog.DeletedRange> deleted = catalogue.deletedRanges(changes.table());
        List<BsonDocument> current = new ArrayList<>();
        for (Map.Entry<Bytes, byte @Nullable []> row : changes.rows().entrySet()) {
            String key = KeyText.of(row.getKey().array());
            if (deleted.stream().noneMatch(range -> range.outdates(key, version))) {
                byte[] value = row.getValue();
                current.add(
                        value == null
                                ? RowDocument.tombstone(key, version, clock.instant())
                                : RowDocument.of(key, value, version));
            }
        }
        return current;
    }

    void forgetDeletedBefore(String table, Instant time) {
        MongoCollection<BsonDocument> rows = catalogue.rows(table);
        replacement.inTurn(table, () -> rows.deleteMany(RowDocument.deletedBefore(time)));
    }

    /** Inserts those whose keys do not exist, and returns the others. */
    private static List<BsonDocument> insert(
            MongoCollection<BsonDocument> rows, List<BsonDocument> documents) {
        List<BsonDocument> there = new ArrayList<>();
        for (List<BsonDocument> some : requests(documents)) {
            try {
                rows.insertMany(some, ALL_THAT_CAN_BE);
            } catch (MongoBulkWriteException partial) {
                if (partial.getWriteConcernError() != null) {
                    throw partial;
                }
                for (BulkWriteError error : partial.getWriteErrors()) {
                    if (error.getCategory() != ErrorCategory.DUPLICATE_KEY) {
                        throw partial;
                    }
                    there.add(some.get(error.getIndex()));
                }
            }
        }
        return there;
    }

    private static List<List<BsonDocument>> requests(List<BsonDocument> all) {
        return requests(all, RowDocument::bytes);
    }

    private static long bytes(WriteModel<BsonDocument> change) {
        return change instanceof ReplaceOneModel<BsonDocument> replacement
                ? RowDocument.bytes(replacement.getReplacement())
                : 0;
    }

    private static <T> List<List<T>> requests(List<T> all, ToLongFunction<T> bytes) {
        List<List<T>> requests = new ArrayList<>();
        int start = 0;
        long sum = 0;
        for (int at = 0; at < all.size(); at++) {
            long more = bytes.applyAsLong(all.get(at));
            sum += more;
            if (at > start && (at - start == ROWS_PER_REQUEST || sum > BYTES_PER_REQUEST)) {
                requests.add(all.subList(start, at));
                start = at;
                sum = more;
            }
        }
        if (start < all.size()) {
            requests.add(all.subList(start, all.size()));
        }
        return requests;
    }
}
