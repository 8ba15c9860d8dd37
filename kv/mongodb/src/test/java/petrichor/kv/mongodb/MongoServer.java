package petrichor.kv.mongodb;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.RealStore;

/** A real server (FerretDB), and the ways in which tests get at it beside the store. */
record MongoServer(RealStore server) implements AutoCloseable {
    /** For busy machines. */
    static final String PATIENT = "30s";

    private static final AtomicInteger NAMES = new AtomicInteger();

    /** For all tests that leave it running. */
    static MongoServer shared() {
        return new MongoServer(RealStore.of(new MongoDeployment()));
    }

    static MongoServer ofItsOwn() {
        return new MongoServer(RealStore.start(new MongoDeployment(), 1));
    }

    /** The address of a database that nobody has used before. */
    StoreUrl newStore() {
        return store("test" + NAMES.incrementAndGet(), "&timeout=" + PATIENT);
    }

    StoreUrl store(String database, String options) {
        return StoreUrl.parse(server.url().replace("/petrichor?", "/" + database + "?") + options);
    }

    MongoStore open() {
        return MongoStore.open(newStore());
    }

    /** Writes as MongoDB is written to; FerretDB does it right when nobody else writes. */
    static MongoStore openAsMongo(StoreUrl url) {
        return MongoStore.open(url, new MongoStore.Form(InstantSource.system(), true));
    }

    /** On a connection of its own, as an operator at the console. */
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
