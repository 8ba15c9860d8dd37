package petrichor.kv.dynamodb;

import java.util.Set;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StorePlugin;
import petrichor.kv.StoreUrl;

/** Opens {@code dynamodb://host[:port]/prefix?region=…}; see {@link DynamoDbAddress}. */
public final class DynamoDbPlugin implements StorePlugin {
    @Override
    public Set<String> schemes() {
        return Set.of(DynamoDbAddress.SCHEME);
    }

    @Override
    public KeyValueStore open(StoreUrl url) {
        return DynamoDbStore.open(DynamoDbAddress.of(url));
    }
}
