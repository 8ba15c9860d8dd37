package petrichor.testing.stores;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.bench.drivers.RawRows;
import petrichor.bench.stores.DriverLoader;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.RealStore;
import petrichor.server.data.StorePlugins;

/** Tests {@link RawRows} by the drivers in the stores' packaged plugins. */
final class BareDriversTest {
    private static final int VALUE_BYTES = 100_000;

    /** For busy machines. */
    private static final String TIMEOUT = "timeout=30s";

    @ParameterizedTest
    @ValueSource(strings = {"redis", "postgresql"})
    void rowsHaveTheirLastValue(String store) {
        with(store, BareDriversTest::requireLastValues);
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis", "postgresql"})
    void rowsAreRemovedWhenClosed(String store) {
        requireRemovalByClose(store);
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "cassandra", "hbase", "mongodb"})
    void rowsOfSlowServersHaveTheirLastValue(String store) {
        with(store, BareDriversTest::requireLastValues);
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "cassandra", "hbase", "mongodb"})
    void rowsOfSlowServersAreRemovedWhenClosed(String store) {
        requireRemovalByClose(store);
    }

    private static void requireLastValues(RawRows rows) {
        byte[] large = new byte[VALUE_BYTES];
        Arrays.fill(large, (byte) 0xFF);
        byte[][] keys = {{0}, {0, 0}, {(byte) 0xFF, 0x27, 0x5C}, {0x72, 0x6F, 0x77}};
        for (byte[] key : keys) {
            assertThat(rows.get(key)).isNull();
            rows.put(key, new byte[] {1});
            rows.put(key, large);
        }
        for (byte[] key : keys) {
            assertThat(rows.get(key)).isEqualTo(large);
        }
    }

    private static void requireRemovalByClose(String store) {
        byte[] key = {7};
        with(store, rows -> rows.put(key, new byte[] {8}));
        with(store, rows -> assertThat(rows.get(key)).isNull());
    }

    /** Opens the store first, as a benchmark does. */
    private static void with(String store, Consumer<RawRows> work) {
        String address = RealStore.of(PackagedStores.deployment(store)).url();
        StoreUrl url = StoreUrl.parse(address + (address.contains("?") ? "&" : "?") + TIMEOUT);
        StorePlugins plugins = StorePlugins.in(PackagedStores.FOLDER);
        plugins.open(url).close();
        try (DriverLoader driver = new DriverLoader(plugins.driver(url));
                RawRows rows = driver.open(url).orElseThrow()) {
            work.accept(rows);
        }
    }
}
