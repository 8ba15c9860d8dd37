package petrichor.kv.redis;

import java.util.Optional;
import java.util.Set;
import petrichor.kv.KeyValueStore;
import petrichor.kv.RawRows;
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

    @Override
    public Optional<RawRows> rawRows(StoreUrl url) {
        return Optional.of(RedisRawRows.open(url));
    }
}
