package petrichor.kv.mongodb;

import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.bson.BsonDocument;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreFailures;

/**
 * Access to the database: the driver's connection pool, which reconnects, and translation of its
 * failures. Thread-safe; a call waits at most the address's timeout for a connection, and as long
 * again for a response.
 */
final class MongoConnection implements AutoCloseable {
    /** Keeps a reference, since an unreferenced logger loses its level. */
    private static final Logger DRIVER_LOG = Logger.getLogger("org.mongodb.driver");

    private final String store;
    private final MongoClient client;
    private final MongoDatabase database;
    private final Repetitions repetitions = new Repetitions();
    private volatile boolean closed;

    MongoConnection(MongoAddress address) {
        // Below this level, each unreachable server logs a warning with a stack trace.
        DRIVER_LOG.setLevel(Level.SEVERE);
        address.checkTls();
        this.store = address.text();
        this.client =
                MongoClients.create(
                        MongoClientSettings.builder(address.settings())
                                .addCommandListener(repetitions)
                                .build());
        this.database = client.getDatabase(address.database());
    }

    /** See {@link petrichor.kv.KeyValueStore#retries}. */
    long retries() {
        return repetitions.count();
    }

    String store() {
        return store;
    }

    MongoDatabase database() {
        return database;
    }

    MongoCollection<BsonDocument> collection(String name) {
        return database.getCollection(name, BsonDocument.class);
    }

    Document command(String command) {
        return call(() -> client.getDatabase("admin").runCommand(new Document(command, 1)));
    }

    void run(Runnable request) {
        call(
                () -> {
                    request.run();
                    return true;
                });
    }

    <T extends @Nullable Object> T call(Supplier<T> request) {
        requireOpen();
        try {
            return request.get();
        } catch (MongoException failure) {
            throw failure(failure);
        } catch (IllegalStateException closedMeanwhile) {
            requireOpen();
            throw closedMeanwhile;
        }
    }

    PetrichorException failure(MongoException failure) {
        return closed ? StoreFailures.closed() : MongoFailures.of(store, failure);
    }

    void requireOpen() {
        if (closed) {
            throw StoreFailures.closed();
        }
    }

    @Override
    public void close() {
        closed = true;
        client.close();
    }
}
