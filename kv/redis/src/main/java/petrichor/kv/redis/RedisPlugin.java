package petrichor.kv.redis;

import java.util.Set;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StorePlugin;
import petrichor.kv.StoreUrl;

/** Opens {@code redis://…}. */
public final class RedisPlugin implements StorePlugin {
    @Override
    public Set<String> schemes() {
        return Set.of("redis");
    }

    @Override
    public KeyValueStore open(StoreUrl url) {
        return RedisStore.open(url);
    }
}
