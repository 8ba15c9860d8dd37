package petrichor.kv.mongodb;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.RealStore;

/** A real server (FerretDB), with direct access for tests. */
record MongoServer(RealStore server) implements AutoCloseable {
    /** For busy machines. */
    static final String PATIENT = "30s";

    private static final AtomicInteger NAMES = new AtomicInteger();

    /** The server shared by all tests that do not stop it. */
    static MongoServer shared() {
        return new MongoServer(RealStore.of(new MongoDeployment()));
    }

    static MongoServer ofItsOwn() {
        return new MongoServer(RealStore.start(new MongoDeployment(), 1));
    }

    /** The address of an unused database. */
    StoreUrl newStore() {
        return store("test" + NAMES.incrementAndGet(), "&timeout=" + PATIENT);
    }

    /**
     * The same for tests that fill the store: FerretDB reads all rows to find one, so a batch of
     * large rows takes longer than {@link #PATIENT} on a busy machine.
     */
    StoreUrl newStoreToFill() {
        return store("test" + NAMES.incrementAndGet(), "&timeout=10m");
    }

    StoreUrl store(String database, String options) {
        return StoreUrl.parse(server.url().replace("/petrichor?", "/" + database + "?") + options);
    }

    MongoStore open() {
        return MongoStore.open(newStore());
    }

    /** Writes as to MongoDB; FerretDB is correct if no other client writes. */
    static MongoStore openAsMongo(StoreUrl url) {
        return MongoStore.open(url, new MongoStore.Form(InstantSource.system(), true));
    }

    /** Runs commands on a separate connection, like an operator in mongosh. */
    void operator(StoreUrl url, Consumer<MongoDatabase> work) {
        MongoAddress address = MongoAddress.of(url);
        try (MongoClient client = MongoClients.create(address.settings())) {
            work.accept(client.getDatabase(address.database()));
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
