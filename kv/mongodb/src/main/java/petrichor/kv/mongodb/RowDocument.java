package petrichor.kv.mongodb;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.exists;
import static com.mongodb.client.model.Filters.gt;
import static com.mongodb.client.model.Filters.gte;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Filters.not;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonBinary;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import petrichor.kv.KeyRange;

/**
 * The format of a row: {@code {_id: key, n: version, v: value}}. An unversioned row has no {@code
 * n}. A tombstone has {@code d}, the time, instead of {@code v}.
 */
final class RowDocument {
    static final String KEY = "_id";
    static final String VERSION = "n";
    static final String VALUE = "v";
    static final String DELETED = "d";

    private RowDocument() {}

    static BsonDocument of(String key, byte[] value) {
        return new BsonDocument(KEY, new BsonString(key)).append(VALUE, new BsonBinary(value));
    }

    static BsonDocument of(String key, byte[] value, long version) {
        return of(key, value).append(VERSION, new BsonInt64(version));
    }

    static BsonDocument tombstone(String key, long version, Instant now) {
        return new BsonDocument(KEY, new BsonString(key))
                .append(VERSION, new BsonInt64(version))
                .append(DELETED, new BsonDateTime(now.toEpochMilli()));
    }

    static String key(BsonDocument row) {
        return row.getString(KEY).getValue();
    }

    /** Size of the key and the value. */
    static long bytes(BsonDocument row) {
        byte[] value = value(row);
        return (long) key(row).length() + (value == null ? 0 : value.length);
    }

    /** Null for a missing row and for a tombstone. */
    static byte @Nullable [] value(@Nullable BsonDocument row) {
        return row == null || !row.containsKey(VALUE) ? null : row.getBinary(VALUE).getData();
    }

    /** Less than any version for an unversioned row. */
    static long version(BsonDocument row) {
        return row.containsKey(VERSION) ? row.getInt64(VERSION).getValue() : Long.MIN_VALUE;
    }

    static Bson withKey(String key) {
        return eq(KEY, key);
    }

    /** Rows, versioned or not, that a change with this version may replace. */
    static Bson notNewerThan(long version) {
        return not(gt(VERSION, version));
    }

    /** Flat, so that an upsert takes the key from it on every server. */
    static Bson withKeyNotNewerThan(String key, long version) {
        return new BsonDocument(KEY, new BsonString(key))
                .append(
                        VERSION,
                        new BsonDocument("$not", new BsonDocument("$gt", new BsonInt64(version))));
    }

    static Bson isNoTombstone() {
        return exists(VALUE);
    }

    static Bson deletedBefore(Instant time) {
        return lt(DELETED, new BsonDateTime(time.toEpochMilli()));
    }

    static Bson in(KeyRange range) {
        return between(
                KeyText.of(range.from()), range.to() == null ? null : KeyText.of(range.to()));
    }

    static Bson between(String from, @Nullable String to) {
        List<Bson> ends = new ArrayList<>();
        ends.add(gte(KEY, from));
        if (to != null) {
            ends.add(lt(KEY, to));
        }
        return and(ends);
    }
}
