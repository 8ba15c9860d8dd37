package petrichor.kv.hbase;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.Outages;
import petrichor.kv.testkit.RealStore;

/** The HBase shared by the tests of this JVM, with a separate namespace for each store. */
final class TestHBase {
    private static final AtomicInteger NAMESPACES = new AtomicInteger();
    private static final Map<KeyValueStore, String> URLS = new ConcurrentHashMap<>();

    private TestHBase() {}

    static RealStore server() {
        return RealStore.of(new HBaseDeployment());
    }

    /** The address of an empty store. */
    static String newUrl() {
        return newUrl(server());
    }

    static String newUrl(RealStore server) {
        return server.url() + NAMESPACES.incrementAndGet();
    }

    static KeyValueStore open() {
        return open(newUrl());
    }

    static KeyValueStore open(String url) {
        KeyValueStore store = new HBasePlugin().open(StoreUrl.parse(Outages.patient(url)));
        URLS.put(store, url);
        return store;
    }

    static KeyValueStore reopen(KeyValueStore store) {
        String url = Objects.requireNonNull(URLS.remove(store));
        store.close();
        return open(url);
    }
}
