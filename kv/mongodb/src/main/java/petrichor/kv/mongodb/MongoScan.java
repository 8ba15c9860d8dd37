package petrichor.kv.mongodb;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Sorts.descending;

import com.mongodb.MongoInternalException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;

/**
 * A scan over server cursors, which the server keeps for ten minutes without requests.
 *
 * <p>MongoDB ends a batch of rows at 16 MB. FerretDB sends as many rows as were requested, and the
 * driver then refuses a response that is too long; the scan continues with smaller batches.
 */
final class MongoScan implements Scan {
    static final int PAGE_ROWS = 1000;

    /** Batches shrink by this factor. */
    private static final int SHRINKING = 8;

    private static final String TOO_LONG = "greater than the maximum message length";

    private final MongoConnection connection;
    private final MongoCollection<BsonDocument> rows;
    private final Direction direction;

    /** The part of the range that has not been read. */
    private KeyRange range;

    private int limit;

    private int batchRows = PAGE_ROWS;

    /** Null before the first row, and after a response that was too long. */
    private @Nullable MongoCursor<BsonDocument> cursor;

    private @Nullable BsonDocument row;
    private boolean closed;

    /** Sends the first request, so that an unreachable store is reported at once. */
    MongoScan(
            MongoConnection connection,
            MongoCollection<BsonDocument> rows,
            KeyRange range,
            Direction direction,
            int limit) {
        this.connection = connection;
        this.rows = rows;
        this.range = range;
        this.direction = direction;
        this.limit = limit;
        if (!exhausted()) {
            attempt(this::opened);
        }
    }

    private boolean exhausted() {
        return limit == 0 || range.isEmpty();
    }

    @Override
    public boolean next() {
        if (closed) {
            throw StoreFailures.closed();
        }
        BsonDocument read =
                exhausted()
                        ? null
                        : attempt(
                                () -> {
                                    MongoCursor<BsonDocument> open = opened();
                                    return open.hasNext() ? open.next() : null;
                                });
        if (read == null) {
            limit = 0;
        } else {
            byte[] key = KeyText.key(RowDocument.key(read));
            range =
                    switch (direction) {
                        case FORWARD -> new KeyRange(Bytes.successor(key), range.to());
                        case REVERSE -> new KeyRange(range.from(), key);
                    };
            limit -= limit == Integer.MAX_VALUE ? 0 : 1;
        }
        row = read;
        return read != null;
    }

    /** Repeats a read whose response is too long with smaller batches. */
    private <T extends @Nullable Object> T attempt(Supplier<T> read) {
        while (true) {
            try {
                return connection.call(
                        () -> {
                            try {
                                return read.get();
                            } catch (MongoInternalException failed) {
                                throw batchRows > 1 && tooLong(failed)
                                        ? new TooLong(failed)
                                        : failed;
                            }
                        });
            } catch (TooLong tooLong) {
                batchRows = Math.max(1, batchRows / SHRINKING);
                closeCursor();
            }
        }
    }

    private static boolean tooLong(MongoInternalException failed) {
        return String.valueOf(failed.getMessage()).contains(TOO_LONG);
    }

    private static final class TooLong extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooLong(MongoInternalException cause) {
            super(cause);
        }
    }

    private MongoCursor<BsonDocument> opened() {
        MongoCursor<BsonDocument> open = cursor;
        if (open == null) {
            // To MongoDB a limit of zero means no limit.
            open =
                    rows.find(and(RowDocument.in(range), RowDocument.isNoTombstone()))
                            .sort(
                                    switch (direction) {
                                        case FORWARD -> ascending(RowDocument.KEY);
                                        case REVERSE -> descending(RowDocument.KEY);
                                    })
                            .limit(limit == Integer.MAX_VALUE ? 0 : limit)
                            .batchSize(Math.min(limit, batchRows))
                            .cursor();
            cursor = open;
        }
        return open;
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
            closeCursor();
        }
    }

    private void closeCursor() {
        MongoCursor<BsonDocument> open = cursor;
        cursor = null;
        if (open != null) {
            open.close();
        }
    }
}
