package petrichor.kv.mongodb;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.StoreFailures;
import petrichor.kv.WriteBatch;

/**
 * The durable step: an insert, which is acknowledged once it is in the journal, and refused if the
 * key exists.
 */
record MongoSlots(MongoStore store, MongoConnection connection, MongoCatalog catalogue)
        implements DurableStep.ConditionalRow {

    @Override
    public Outcome putIfAbsent(String table, byte[] key, byte[] value) {
        StoreFailures.requireFits(new WriteBatch().put(table, key, value), store.capabilities());
        MongoCollection<BsonDocument> rows = connection.call(() -> catalogue.rows(table));
        try {
            return connection.call(() -> inserted(rows, key, value));
        } catch (PetrichorException failure) {
            if (failure.getCause() instanceof MongoException cause
                    && !MongoFailures.nothingWasDone(cause)) {
                return Outcome.UNKNOWN;
            }
            throw failure;
        }
    }

    private static Outcome inserted(MongoCollection<BsonDocument> rows, byte[] key, byte[] value) {
        try {
            rows.insertOne(RowDocument.of(KeyText.of(key), value));
            return Outcome.DONE;
        } catch (MongoException failure) {
            if (MongoFailures.isDuplicateKey(failure)) {
                return Outcome.FENCED;
            }
            throw failure;
        }
    }

    @Override
    public byte @Nullable [] read(String table, byte[] key) {
        return store.get(table, key);
    }

    @Override
    public void putIfNewer(WriteBatch batch, long version) {
        store.change(batch, (writes, changes) -> writes.putIfNewer(changes, version));
        store.purgeNowAndThen();
    }
}
