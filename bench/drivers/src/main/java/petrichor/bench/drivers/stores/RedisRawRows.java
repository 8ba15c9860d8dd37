package petrichor.bench.drivers.stores;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import org.jspecify.annotations.Nullable;
import petrichor.bench.drivers.RawRows;
import petrichor.kv.StoreUrl;

/**
 * One hash, accessed by Lettuce's synchronous commands on one connection, which threads may share.
 */
final class RedisRawRows implements RawRows {
    private static final int PORT = 6379;

    private final RedisClient client;
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final byte[] rows;

    private RedisRawRows(RedisClient client, byte[] rows) {
        this.client = client;
        this.rows = rows;
        this.connection = client.connect(ByteArrayCodec.INSTANCE);
    }

    static RedisRawRows open(StoreUrl url) {
        StoreUrl.Node node = url.nodes().getFirst();
        RedisURI.Builder server =
                RedisURI.builder()
                        .withHost(node.host())
                        .withPort(node.portOr(PORT))
                        .withDatabase(Integer.parseInt(url.option("database", "0")))
                        .withTimeout(BareDrivers.timeout(url));
        url.password()
                .ifPresent(
                        password ->
                                server.withAuthentication(
                                        url.user()
                                                .filter(user -> !user.isEmpty())
                                                .orElse("default"),
                                        password.toCharArray()));
        RedisClient client = RedisClient.create(server.build());
        try {
            return new RedisRawRows(client, (BareDrivers.name(url) + ":raw").getBytes(UTF_8));
        } catch (RuntimeException failed) {
            client.close();
            throw failed;
        }
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        return connection.sync().hget(rows, key);
    }

    @Override
    public void put(byte[] key, byte[] value) {
        connection.sync().hset(rows, key, value);
    }

    @Override
    public void close() {
        try (client;
                connection) {
            connection.sync().del(rows);
        }
    }
}
