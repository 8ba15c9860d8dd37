package petrichor.kv.cassandra;

import org.junit.jupiter.api.Test;
import petrichor.kv.testkit.EmptyStores;

/** Checking an empty store leaves it empty. */
class EmptyStoreTest {
    @Test
    void onlyOpeningCreatesTables() {
        EmptyStores.assertOnlyOpeningMakesAnything(
                new CassandraPlugin(), CassandraServer.shared().keyspace("untouched"));
    }
}
