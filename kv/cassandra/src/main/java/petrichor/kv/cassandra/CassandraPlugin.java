package petrichor.kv.cassandra;

import java.util.Optional;
import java.util.Set;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StorePlugin;
import petrichor.kv.StoreUrl;

/** Opens {@code cassandra://…}. */
public final class CassandraPlugin implements StorePlugin {
    @Override
    public Set<String> schemes() {
        return Set.of("cassandra");
    }

    @Override
    public KeyValueStore open(StoreUrl url) {
        return CassandraStores.open(CassandraAddress.of(url));
    }

    @Override
    public Optional<KeyValueStore> openIfInitialized(StoreUrl url) {
        CassandraAddress address = CassandraAddress.of(url);
        return CassandraStores.isInitialized(address)
                ? Optional.of(CassandraStores.open(address))
                : Optional.empty();
    }
}
