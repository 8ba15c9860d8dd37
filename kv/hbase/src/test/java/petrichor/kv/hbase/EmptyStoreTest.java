package petrichor.kv.hbase;

import org.junit.jupiter.api.Test;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.EmptyStores;

/** Checking an empty store leaves it empty. */
class EmptyStoreTest {
    @Test
    void onlyOpeningCreatesTables() {
        EmptyStores.assertOnlyOpeningMakesAnything(
                new HBasePlugin(), StoreUrl.parse(TestHBase.newUrl()));
    }
}
