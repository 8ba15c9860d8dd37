package petrichor.kv.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import org.jspecify.annotations.Nullable;
import petrichor.kv.RawRows;
import petrichor.kv.StoreFailures;
import petrichor.kv.StoreUrl;

/**
 * One hash, accessed by Lettuce's synchronous commands on one connection, which threads may share.
 */
final class RedisRawRows implements RawRows {
    private final RedisClient client;
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final byte[] rows;

    private RedisRawRows(RedisClient client, byte[] rows) {
        this.client = client;
        this.rows = rows;
        this.connection = client.connect(ByteArrayCodec.INSTANCE);
    }

    static RedisRawRows open(StoreUrl url) {
        // The store refuses a server that loses acknowledged writes.
        RedisStore.open(url).close();
        RedisAddress address = RedisAddress.of(url);
        RedisClient client = RedisClient.create(address.server());
        try {
            return new RedisRawRows(client, address.keyspace().rawRows());
        } catch (RuntimeException failed) {
            client.close();
            throw StoreFailures.unreachable(address.text(), failed);
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
