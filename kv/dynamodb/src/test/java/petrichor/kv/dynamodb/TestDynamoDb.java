package petrichor.kv.dynamodb;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.Outages;
import petrichor.kv.testkit.RealStore;

/** The DynamoDB Local shared by the tests of this JVM, with a separate prefix for each store. */
final class TestDynamoDb {
    private static final AtomicInteger PREFIXES = new AtomicInteger();
    private static final Map<KeyValueStore, String> URLS = new ConcurrentHashMap<>();

    private TestDynamoDb() {}

    static RealStore server() {
        return RealStore.of(DynamoDbDeployment.inMemory());
    }

    /** The address of an empty store. */
    static String newUrl() {
        return newUrl(server());
    }

    static String newUrl(RealStore server) {
        return server.url() + PREFIXES.incrementAndGet();
    }

    static KeyValueStore open(String url) {
        KeyValueStore store = new DynamoDbPlugin().open(StoreUrl.parse(Outages.patient(url)));
        URLS.put(store, url);
        return store;
    }

    static KeyValueStore reopen(KeyValueStore store) {
        String url = Objects.requireNonNull(URLS.remove(store));
        store.close();
        return open(url);
    }
}
