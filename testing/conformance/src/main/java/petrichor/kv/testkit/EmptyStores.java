package petrichor.kv.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StorePlugin;
import petrichor.kv.StoreUrl;

/** Conformance of checks of an empty store. */
public final class EmptyStores {
    private EmptyStores() {}

    /**
     * Checks the store through the plugin twice, before and after it is opened.
     *
     * @param untouched the address of a store that was never opened
     */
    public static void assertOnlyOpeningMakesAnything(StorePlugin plugin, StoreUrl untouched) {
        assertThat(plugin.openIfInitialized(untouched)).isEmpty();
        assertThat(plugin.openIfInitialized(untouched)).as("after a check").isEmpty();
        try (KeyValueStore made = plugin.open(untouched)) {
            made.createTable(Rows.TABLE);
        }
        Optional<KeyValueStore> found = plugin.openIfInitialized(untouched);
        assertThat(found).as("after it was opened").isPresent();
        try (KeyValueStore store = found.get()) {
            assertThat(store.tables()).containsExactly(Rows.TABLE);
        }
    }
}
