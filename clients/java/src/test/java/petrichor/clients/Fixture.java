package petrichor.clients;

import com.google.cloud.datastore.Datastore;
import com.google.cloud.datastore.DatastoreOptions;
import com.google.cloud.datastore.Entity;
import com.google.cloud.datastore.FullEntity;
import com.google.cloud.datastore.Key;
import com.google.cloud.datastore.KeyFactory;
import com.google.cloud.datastore.ListValue;
import com.google.cloud.datastore.Query;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The official client, with a namespace that no other test uses, and a few entities to query. */
record Fixture(Datastore store, String namespace) {
    static final String PROJECT = "petrichor-clients";

    static Fixture open() {
        String namespace = "n" + UUID.randomUUID().toString().replace("-", "");
        return new Fixture(client("", namespace), namespace);
    }

    static Datastore client(String database, String namespace) {
        return options(database, namespace).build().getService();
    }

    static DatastoreOptions.Builder options(String database, String namespace) {
        String host = System.getenv("DATASTORE_EMULATOR_HOST");
        if (host == null) {
            throw new IllegalStateException("set DATASTORE_EMULATOR_HOST, or start these tests with clients/run");
        }
        // Without the client's own retries, so that a test sees each conflict.
        return DatastoreOptions.newBuilder()
                .setProjectId(PROJECT)
                .setHost(host)
                .setDatabaseId(database)
                .setNamespace(namespace)
                .setCredentials(com.google.cloud.NoCredentials.getInstance())
                .setRetrySettings(com.google.cloud.ServiceOptions.getNoRetrySettings());
    }

    KeyFactory kind(String kind) {
        return store.newKeyFactory().setKind(kind);
    }

    Key key(String kind, String name) {
        return kind(kind).newKey(name);
    }

    Entity put(Key key, long n) {
        return store.put(Entity.newBuilder(key).set("n", n).build());
    }

    long n(Key key) {
        return store.get(key).getLong("n");
    }

    /** The names of a query's results in order. */
    List<String> names(Query<?> query) {
        List<String> names = new ArrayList<>();
        store.run(query).forEachRemaining(result -> names.add(name(result)));
        return names;
    }

    static String name(Object result) {
        Object key = result instanceof FullEntity<?> entity ? entity.getKey() : result;
        return ((Key) key).getName();
    }

    Fixture withCities() {
        city("graz", "at", 300, 353.5, true, "river", "hill");
        city("linz", "at", 200, 266.5, true, "river");
        city("wien", "at", 2000, 151.5, true, "river", "palace");
        city("bern", "ch", 140, 542.5, false, "river", "old");
        city("zug", "ch", 30, 425.5, false, "lake");
        city("vaduz", "li", 6, 455.5, false);
        return this;
    }

    private void city(String name, String country, long thousands, double altitude, boolean union, String... tags) {
        ListValue.Builder list = ListValue.newBuilder();
        for (String tag : tags) {
            list.addValue(tag);
        }
        store.put(Entity.newBuilder(key("City", name))
                .set("country", country)
                .set("thousands", thousands)
                .set("altitude", altitude)
                .set("union", union)
                .set("tags", list.build())
                .build());
    }
}
