package petrichor.services.cache;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import net.rubyeye.xmemcached.GetsResponse;
import net.rubyeye.xmemcached.MemcachedClient;
import net.rubyeye.xmemcached.XMemcachedClientBuilder;
import net.rubyeye.xmemcached.command.BinaryCommandFactory;
import net.rubyeye.xmemcached.exception.MemcachedException;
import net.rubyeye.xmemcached.impl.KetamaMemcachedSessionLocator;
import net.rubyeye.xmemcached.transcoders.CachedData;
import net.rubyeye.xmemcached.transcoders.CompressionMode;
import net.rubyeye.xmemcached.transcoders.Transcoder;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * memcached servers, among which consistent hashing (Ketama) distributes the keys. Connects on
 * first use. Thread-safe; a call blocks for at most the timeout, then fails with UNAVAILABLE.
 */
final class MemcachedServers implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(2);
    private static final int CONNECTIONS_PER_SERVER = 2;

    private final List<InetSocketAddress> addresses;
    private @Nullable MemcachedClient client;
    private boolean closed;

    /**
     * @param addresses resolved on first use
     */
    MemcachedServers(List<InetSocketAddress> addresses) {
        this.addresses = List.copyOf(addresses);
    }

    /**
     * @param casId changes with every write
     */
    record Found(byte[] value, long casId) {}

    private interface Call<T> {
        T on(MemcachedClient client)
                throws TimeoutException, InterruptedException, MemcachedException;
    }

    private synchronized MemcachedClient client() {
        if (closed) {
            throw unavailable(null, "the server stops");
        }
        if (client == null) {
            XMemcachedClientBuilder builder = new XMemcachedClientBuilder(resolved());
            builder.setCommandFactory(new BinaryCommandFactory());
            builder.setSessionLocator(new KetamaMemcachedSessionLocator());
            builder.setConnectionPoolSize(CONNECTIONS_PER_SERVER);
            builder.setConnectTimeout(CONNECT_TIMEOUT.toMillis());
            builder.setOpTimeout(CALL_TIMEOUT.toMillis());
            // A key stays on its server: on another one it would be an old or a second item.
            builder.setFailureMode(true);
            try {
                client = builder.build();
            } catch (IOException failed) {
                throw unavailable(failed, String.valueOf(failed.getMessage()));
            }
        }
        return client;
    }

    private List<InetSocketAddress> resolved() {
        return addresses.stream()
                .map(one -> new InetSocketAddress(one.getHostString(), one.getPort()))
                .toList();
    }

    private <T> T call(Call<T> call) {
        try {
            return call.on(client());
        } catch (TimeoutException late) {
            throw unavailable(late, "no answer within " + CALL_TIMEOUT.toMillis() + " ms");
        } catch (MemcachedException failed) {
            throw unavailable(failed, String.valueOf(failed.getMessage()));
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw unavailable(stopping, "interrupted");
        }
    }

    private PetrichorException unavailable(@Nullable Throwable cause, String why) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                cause,
                "memcached at {addresses} failed: {why}; check cache.memcached",
                "addresses",
                addresses,
                "why",
                why);
    }

    @Nullable Found get(String key) {
        GetsResponse<byte[]> found =
                call(on -> on.gets(key, CALL_TIMEOUT.toMillis(), Raw.INSTANCE));
        return found == null ? null : new Found(found.getValue(), found.getCas());
    }

    /** Missing keys are not in the result. */
    Map<String, GetsResponse<byte[]>> get(List<String> keys) {
        Map<String, GetsResponse<byte[]>> found =
                call(on -> on.gets(keys, CALL_TIMEOUT.toMillis(), Raw.INSTANCE));
        return found == null ? Map.of() : found;
    }

    boolean set(String key, MemcachedItem item) {
        return call(
                on -> on.set(key, item.protocolSeconds(), item.encode(), Raw.INSTANCE, timeout()));
    }

    boolean add(String key, MemcachedItem item) {
        return call(
                on -> on.add(key, item.protocolSeconds(), item.encode(), Raw.INSTANCE, timeout()));
    }

    /** False if there is no item, or if it was written since. */
    boolean compareAndSet(String key, MemcachedItem item, long casId) {
        return call(
                on ->
                        on.cas(
                                key,
                                item.protocolSeconds(),
                                item.encode(),
                                Raw.INSTANCE,
                                timeout(),
                                casId));
    }

    boolean delete(String key) {
        return call(on -> on.delete(key, timeout()));
    }

    private static long timeout() {
        return CALL_TIMEOUT.toMillis();
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (client != null) {
            try {
                client.shutdown();
            } catch (IOException ignored) {
                // The connections are gone either way.
            }
        }
    }

    /** Values as they are. */
    private static final class Raw implements Transcoder<byte[]> {
        static final Raw INSTANCE = new Raw();

        @Override
        public CachedData encode(byte[] value) {
            return new CachedData(0, value);
        }

        @Override
        public byte[] decode(CachedData stored) {
            return stored.getData();
        }

        @Override
        public void setPrimitiveAsString(boolean ignored) {}

        @Override
        public void setPackZeros(boolean ignored) {}

        @Override
        public void setCompressionThreshold(int ignored) {}

        @Override
        public boolean isPrimitiveAsString() {
            return false;
        }

        @Override
        public boolean isPackZeros() {
            return false;
        }

        @Override
        public void setCompressionMode(CompressionMode ignored) {}
    }
}
