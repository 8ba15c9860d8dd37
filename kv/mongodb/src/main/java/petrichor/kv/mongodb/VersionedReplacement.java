package petrichor.kv.mongodb;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.WriteModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;
import petrichor.kv.StoreFailures;

/** Replaces an existing row unless it is newer. */
sealed interface VersionedReplacement {
    BulkWriteOptions IN_ANY_ORDER = new BulkWriteOptions().ordered(false);

    /** Returns how many were replaced; the others are newer, or no longer exist. */
    int replace(MongoCollection<BsonDocument> rows, List<BsonDocument> documents, long version);

    /** Runs a task that requires that no other versioned change of the table is in progress. */
    void inTurn(String table, Runnable change);

    /** For MongoDB, which finds and replaces a document atomically. */
    record ByServer() implements VersionedReplacement {
        @Override
        public int replace(
                MongoCollection<BsonDocument> rows, List<BsonDocument> documents, long version) {
            List<WriteModel<BsonDocument>> replacements = new ArrayList<>();
            for (BsonDocument row : documents) {
                Bson filter = RowDocument.withKeyNotNewerThan(RowDocument.key(row), version);
                replacements.add(new ReplaceOneModel<>(filter, row));
            }
            return rows.bulkWrite(replacements, IN_ANY_ORDER).getMatchedCount();
        }

        @Override
        public void inTurn(String table, Runnable change) {
            change.run();
        }
    }

    /**
     * For FerretDB, which reads the documents to change, and later writes them by their keys alone:
     * versions are compared here, one change of a table at a time. That is correct as long as no
     * other Petrichor server writes, which the address has to declare. FerretDB also finds
     * documents quickly only by key.
     */
    record InTurn(String store, Duration waitMax, Map<String, Lock> turns)
            implements VersionedReplacement {
        InTurn(String store, Duration waitMax) {
            this(store, waitMax, new ConcurrentHashMap<>());
        }

        @Override
        public int replace(
                MongoCollection<BsonDocument> rows, List<BsonDocument> documents, long version) {
            List<WriteModel<BsonDocument>> replacements = new ArrayList<>();
            for (BsonDocument row : documents) {
                Bson filter = RowDocument.withKey(RowDocument.key(row));
                BsonDocument found = rows.find(filter).first();
                if (found != null && RowDocument.version(found) <= version) {
                    replacements.add(new ReplaceOneModel<>(filter, row));
                }
            }
            return replacements.isEmpty()
                    ? 0
                    : rows.bulkWrite(replacements, IN_ANY_ORDER).getMatchedCount();
        }

        @Override
        public void inTurn(String table, Runnable change) {
            Lock turn = turns.computeIfAbsent(table, _ -> new ReentrantLock());
            try {
                if (!turn.tryLock(waitMax.toMillis(), TimeUnit.MILLISECONDS)) {
                    throw StoreFailures.unreachable(
                            store, new TimeoutException("another change is pending"));
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw StoreFailures.unreachable(store, interrupted);
            }
            try {
                change.run();
            } finally {
                turn.unlock();
            }
        }
    }
}
