package petrichor.kv.mongodb;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyRange;
import petrichor.kv.StoreFailures;

/**
 * The collection {@code petrichor} of the database: the version of the layout, the tables, and
 * their range deletions with versions. Thread-safe.
 */
final class MongoCatalog {
    private static final String COLLECTION = "petrichor";
    private static final String ROWS_PREFIX = "kv_";
    private static final String FORMAT_KEY = "format";
    private static final String FORMAT = "petrichor 1";
    private static final String FORMAT_FAMILY = "petrichor ";
    private static final String KIND = "kind";
    private static final String TABLE = "table";
    private static final String RANGE = "range";
    private static final int NAMESPACE_EXISTS = 48;

    private final MongoConnection connection;
    private final MongoCollection<BsonDocument> documents;

    /** Tables that are known to exist. */
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    /** The rows of {@code from <= key < to}, as text, were deleted with this version. */
    record DeletedRange(String from, @Nullable String to, long version) {
        boolean outdates(String key, long rowVersion) {
            return version > rowVersion
                    && from.compareTo(key) <= 0
                    && (to == null || key.compareTo(to) < 0);
        }
    }

    MongoCatalog(MongoConnection connection) {
        this.connection = connection;
        this.documents = connection.collection(COLLECTION);
    }

    /**
     * Marks the database as Petrichor's if it is empty; FAILED_PRECONDITION if it belongs to
     * another program.
     */
    void claim() {
        BsonDocument format = format();
        if (format == null) {
            for (String name : connection.database().listCollectionNames()) {
                if (name.equals(COLLECTION) || name.startsWith(ROWS_PREFIX)) {
                    throw foreign(name);
                }
            }
            insertUnlessThere(
                    new BsonDocument("_id", new BsonString(FORMAT_KEY))
                            .append("version", new BsonString(FORMAT)));
            format = format();
        }
        String version =
                format != null && format.get("version") instanceof BsonString text
                        ? text.getValue()
                        : "";
        if (!version.startsWith(FORMAT_FAMILY)) {
            throw foreign(COLLECTION);
        } else if (!version.equals(FORMAT)) {
            throw StoreFailures.unfit(
                    connection.store(),
                    "its rows have the format '%s' of a newer Petrichor; this version supports '%s'"
                            .formatted(version, FORMAT));
        }
    }

    /** Whether the database has a collection that {@link #claim} would find, ours or foreign. */
    boolean isClaimed() {
        for (String name : connection.database().listCollectionNames()) {
            if (name.equals(COLLECTION) || name.startsWith(ROWS_PREFIX)) {
                return true;
            }
        }
        return false;
    }

    private @Nullable BsonDocument format() {
        return documents.find(eq("_id", FORMAT_KEY)).first();
    }

    private PetrichorException foreign(String collection) {
        return StoreFailures.unfit(
                connection.store(),
                "it has a collection '"
                        + collection
                        + "' that is not Petrichor's; name another database in its address");
    }

    Set<String> tables() {
        Set<String> tables = new TreeSet<>();
        for (BsonDocument table : documents.find(eq(KIND, TABLE))) {
            tables.add(table.getString(TABLE).getValue());
        }
        return tables;
    }

    void create(String table) {
        if (known.contains(table)) {
            return;
        }
        String collection = ROWS_PREFIX + table;
        if (isThere(table)) {
            return;
        }
        for (String name : connection.database().listCollectionNames()) {
            if (name.equals(collection)) {
                throw foreign(collection);
            }
        }
        insertUnlessThere(
                new BsonDocument("_id", new BsonString(tableKey(table)))
                        .append(KIND, new BsonString(TABLE))
                        .append(TABLE, new BsonString(table)));
        try {
            connection.database().createCollection(collection);
        } catch (MongoCommandException refusal) {
            if (refusal.getErrorCode() != NAMESPACE_EXISTS) {
                throw refusal;
            }
        }
        known.add(table);
    }

    void drop(String table) {
        known.remove(table);
        connection.collection(ROWS_PREFIX + table).drop();
        documents.deleteMany(and(eq(KIND, RANGE), eq(TABLE, table)));
        documents.deleteOne(eq("_id", tableKey(table)));
    }

    /** NOT_FOUND if the table does not exist. */
    MongoCollection<BsonDocument> rows(String table) {
        if (!known.contains(table) && !isThere(table)) {
            throw StoreFailures.noSuchTable(table);
        }
        return connection.collection(ROWS_PREFIX + table);
    }

    private boolean isThere(String table) {
        if (documents.find(eq("_id", tableKey(table))).first() == null) {
            return false;
        }
        known.add(table);
        return true;
    }

    private static String tableKey(String table) {
        return "table " + table;
    }

    List<DeletedRange> deletedRanges(String table) {
        List<DeletedRange> ranges = new ArrayList<>();
        for (BsonDocument range : documents.find(and(eq(KIND, RANGE), eq(TABLE, table)))) {
            ranges.add(
                    new DeletedRange(
                            range.getString("from").getValue(),
                            range.get("to") instanceof BsonString to ? to.getValue() : null,
                            range.getInt64(RowDocument.VERSION).getValue()));
        }
        return ranges;
    }

    /** When this returns, older rows can no longer reappear in the range. */
    void noteDeleted(String table, KeyRange range, long version, Instant now) {
        byte[] to = range.to();
        documents.insertOne(
                new BsonDocument("_id", new BsonString("range " + new ObjectId()))
                        .append(KIND, new BsonString(RANGE))
                        .append(TABLE, new BsonString(table))
                        .append("from", new BsonString(KeyText.of(range.from())))
                        .append("to", to == null ? BsonNull.VALUE : new BsonString(KeyText.of(to)))
                        .append(RowDocument.VERSION, new BsonInt64(version))
                        .append(RowDocument.DELETED, new BsonDateTime(now.toEpochMilli())));
    }

    void forgetRangesDeletedBefore(Instant time) {
        documents.deleteMany(and(eq(KIND, RANGE), RowDocument.deletedBefore(time)));
    }

    private void insertUnlessThere(BsonDocument document) {
        try {
            documents.insertOne(document);
        } catch (MongoException failure) {
            if (!MongoFailures.isDuplicateKey(failure)) {
                throw failure;
            }
        }
    }
}
