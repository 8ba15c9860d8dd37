package petrichor.kv.mongodb;

import org.junit.jupiter.api.Test;
import petrichor.kv.testkit.EmptyStores;

/** Checking an empty store leaves it empty. */
class EmptyStoreTest {
    @Test
    void onlyOpeningCreatesTables() {
        EmptyStores.assertOnlyOpeningMakesAnything(
                new MongoPlugin(), MongoServer.shared().newStore());
    }
}
