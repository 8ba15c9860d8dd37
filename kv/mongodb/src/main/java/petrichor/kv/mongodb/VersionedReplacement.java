package petrichor.kv.mongodb;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.WriteModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;

/** How a row that is there is replaced unless it is newer. */
sealed interface VersionedReplacement {
    BulkWriteOptions IN_ANY_ORDER = new BulkWriteOptions().ordered(false);

    /** Returns how many were replaced; the others are newer, or are not there any more. */
    int replace(MongoCollection<BsonDocument> rows, List<BsonDocument> documents, long version);

    /** Runs what needs that no other versioned change of the table is under way. */
    void inTurn(String table, Runnable change);

    /** By MongoDB, which finds and replaces a document in one step. */
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
     * For FerretDB, which reads documents that it is to change, and later writes them by their keys
     * alone: versions are compared here, one change of a table at a time. That is right as long as
     * no other server of ours writes, which the address has to promise. It also finds a document
     * quickly by its key and nothing else.
     */
    record InTurn(Map<String, Object> turns) implements VersionedReplacement {
        InTurn() {
            this(new ConcurrentHashMap<>());
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
            synchronized (turns.computeIfAbsent(table, _ -> new Object())) {
                change.run();
            }
        }
    }
}
