package petrichor.kv.hbase;

import java.util.Optional;
import java.util.Set;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StorePlugin;
import petrichor.kv.StoreUrl;

/** Opens {@code hbase://host:port[,host:port]/namespace}; see {@link HBaseAddress}. */
public final class HBasePlugin implements StorePlugin {
    @Override
    public Set<String> schemes() {
        return Set.of(HBaseAddress.SCHEME);
    }

    @Override
    public KeyValueStore open(StoreUrl url) {
        return HBaseStore.open(HBaseAddress.of(url));
    }

    @Override
    public Optional<KeyValueStore> openIfInitialized(StoreUrl url) {
        HBaseAddress address = HBaseAddress.of(url);
        try (HBaseConnection connection = HBaseConnection.open(address)) {
            if (!HBaseTables.areInitialized(connection)) {
                return Optional.empty();
            }
        }
        return Optional.of(HBaseStore.open(address));
    }
}
