package petrichor.kv.mongodb;

import java.util.Optional;
import java.util.Set;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StorePlugin;
import petrichor.kv.StoreUrl;

/** Opens {@code mongodb://…}. */
public final class MongoPlugin implements StorePlugin {
    @Override
    public Set<String> schemes() {
        return Set.of("mongodb");
    }

    @Override
    public KeyValueStore open(StoreUrl url) {
        return MongoStore.open(url);
    }

    @Override
    public Optional<KeyValueStore> openIfInitialized(StoreUrl url) {
        return MongoStore.openIfInitialized(url);
    }
}
