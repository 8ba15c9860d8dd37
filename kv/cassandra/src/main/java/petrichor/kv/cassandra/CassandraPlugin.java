package petrichor.kv.cassandra;

import petrichor.kv.KeyValueStore;
import petrichor.kv.StorePlugin;
import petrichor.kv.StoreUrl;

import java.util.Set;

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
}
