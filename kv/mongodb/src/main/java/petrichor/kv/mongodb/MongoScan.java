package petrichor.kv.mongodb;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Sorts.descending;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import java.util.NoSuchElementException;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;

/** A scan over a server cursor, which the server keeps for ten minutes without requests. */
final class MongoScan implements Scan {
    static final int PAGE_ROWS = 1000;

    private final MongoConnection connection;

    /** Null if the limit is 0. */
    private final @Nullable MongoCursor<BsonDocument> cursor;

    private @Nullable BsonDocument row;
    private boolean closed;

    MongoScan(
            MongoConnection connection,
            MongoCollection<BsonDocument> rows,
            KeyRange range,
            Direction direction,
            int limit) {
        this.connection = connection;
        // To MongoDB a limit of zero means no limit.
        this.cursor =
                limit == 0 || range.isEmpty()
                        ? null
                        : connection.call(
                                () ->
                                        rows.find(
                                                        and(
                                                                RowDocument.in(range),
                                                                RowDocument.isNoTombstone()))
                                                .sort(
                                                        switch (direction) {
                                                            case FORWARD ->
                                                                    ascending(RowDocument.KEY);
                                                            case REVERSE ->
                                                                    descending(RowDocument.KEY);
                                                        })
                                                .limit(limit == Integer.MAX_VALUE ? 0 : limit)
                                                .batchSize(Math.min(limit, PAGE_ROWS))
                                                .cursor());
    }

    @Override
    public boolean next() {
        if (closed) {
            throw StoreFailures.closed();
        }
        MongoCursor<BsonDocument> open = cursor;
        row = open == null ? null : connection.call(() -> open.hasNext() ? open.next() : null);
        return row != null;
    }

    @Override
    public byte[] key() {
        return KeyText.key(RowDocument.key(current()));
    }

    @Override
    public byte[] value() {
        return current().getBinary(RowDocument.VALUE).getData();
    }

    private BsonDocument current() {
        BsonDocument at = row;
        if (at == null) {
            throw new NoSuchElementException("the scan is not on a row");
        }
        return at;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            row = null;
            if (cursor != null) {
                cursor.close();
            }
        }
    }
}
