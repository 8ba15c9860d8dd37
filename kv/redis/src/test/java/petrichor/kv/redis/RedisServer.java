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

/** A real server, with direct access for tests. */
record RedisServer(RealStore server) implements AutoCloseable {
    /** A busy machine may take seconds to load the driver. */
    static final String PATIENT = "30s";

    private static final AtomicInteger NAMES = new AtomicInteger();

    /** The server shared by all tests that do not change its settings. */
    static RedisServer shared() {
        return new RedisServer(RealStore.of(new RedisDeployment()));
    }

    static RedisServer ofItsOwn() {
        return new RedisServer(RealStore.start(new RedisDeployment(), 1));
    }

    /** The address of an unused store. */
    StoreUrl newStore() {
        return store("test" + NAMES.incrementAndGet(), "?timeout=" + PATIENT);
    }

    StoreUrl store(String name, String options) {
        return StoreUrl.parse(server.url().replace("/petrichor", "/" + name) + options);
    }

    RedisStore open() {
        return RedisStore.open(newStore());
    }

    /** Runs commands on a separate connection, like an operator in redis-cli. */
    <T> T operator(Function<RedisCommands<String, String>, T> work) {
        // Its password and port; the rest is the store's name, which the driver would misinterpret.
        String address = server.url().replace("/petrichor", "");
        try (RedisClient client = RedisClient.create(RedisURI.create(address));
                StatefulRedisConnection<String, String> connection = client.connect()) {
            return work.apply(connection.sync());
        }
    }

    /** Closes all other connections, as a restart of the server does. */
    void breakConnections() {
        operator(redis -> redis.clientKill(KillArgs.Builder.skipme()));
    }

    @Override
    public void close() {
        server.close();
    }
}
