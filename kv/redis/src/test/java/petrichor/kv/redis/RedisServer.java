package petrichor.kv.redis;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.RealStore;

/** A real server, and the ways in which tests get at it beside the store. */
record RedisServer(RealStore server) implements AutoCloseable {
    /** A busy machine may take seconds to load the driver. */
    static final String PATIENT = "30s";

    private static final AtomicInteger NAMES = new AtomicInteger();

    /** For all tests that leave its settings alone. */
    static RedisServer shared() {
        return new RedisServer(RealStore.of(new RedisDeployment()));
    }

    static RedisServer ofItsOwn() {
        return new RedisServer(RealStore.start(new RedisDeployment(), 1));
    }

    /** The address of a store that nobody has used before. */
    StoreUrl newStore() {
        return store("test" + NAMES.incrementAndGet(), "?timeout=" + PATIENT);
    }

    StoreUrl store(String name, String options) {
        return StoreUrl.parse(server.url().replace("/petrichor", "/" + name) + options);
    }

    RedisStore open() {
        return RedisStore.open(newStore());
    }

    /** On a connection of its own, as an operator at the console. */
    <T> T operator(Function<RedisCommands<String, String>, T> work) {
        // Its password and port; what follows is the store's name, which the driver would misread.
        String address = server.url().replace("/petrichor", "");
        try (RedisClient client = RedisClient.create(RedisURI.create(address));
                StatefulRedisConnection<String, String> connection = client.connect()) {
            return work.apply(connection.sync());
        }
    }

    /** Ends all connections but the one that asks, as a server that restarts does. */
    void breakConnections() {
        operator(redis -> redis.clientKill(KillArgs.Builder.skipme()));
    }

    @Override
    public void close() {
        server.close();
    }
}
