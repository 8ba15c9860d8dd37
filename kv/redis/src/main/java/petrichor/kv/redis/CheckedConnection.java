package petrichor.kv.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.ProtocolVersion;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreFailures;
import petrichor.kv.StoreLimits;
import petrichor.kv.StoreTls;

/**
 * The one connection to the server, shared by all threads: requests are pipelined. A connection is
 * used only after the server was checked ({@link Admission}); when it breaks, or does not respond
 * in time, it is closed with all its pending requests, and the next request opens a new one, with
 * all checks, since the server may have come back with other settings or other data. The driver's
 * own reconnecting is disabled: it would send requests twice.
 *
 * <p>Thread-safe. No call waits longer than the address's timeout for a connection or for a
 * response.
 */
final class CheckedConnection implements AutoCloseable {
    /** Keeps a reference, since an unreferenced logger loses its level. */
    private static final Logger DRIVER_LOG = Logger.getLogger("io.lettuce");

    private final RedisAddress address;
    private final RedisClient client;
    private final Admission admission;
    private final AtomicReference<Attempt> attempt;
    private final LongAdder retries = new LongAdder();
    private volatile boolean closed;

    /** A connection, the reason why it failed, or a pending connection of some thread. */
    private record Attempt(CompletableFuture<StatefulRedisConnection<byte[], byte[]>> connection) {
        boolean isUseless() {
            return connection.isCompletedExceptionally()
                    || (connection.isDone() && !connection.resultNow().isOpen());
        }
    }

    private CheckedConnection(RedisAddress address) {
        this.address = address;
        this.client = RedisClient.create(address.server());
        this.admission = new Admission(address);
        this.attempt = new AtomicReference<>(none());
        ClientOptions.Builder options =
                ClientOptions.builder()
                        .autoReconnect(false)
                        // No handshake: if the server refuses one, the driver sometimes reports
                        // only that the connection was closed. Admission logs in instead.
                        .protocolVersion(ProtocolVersion.RESP2)
                        .pingBeforeActivateConnection(false)
                        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                        .timeoutOptions(TimeoutOptions.create())
                        .socketOptions(
                                SocketOptions.builder().connectTimeout(address.timeout()).build());
        address.tls().ifPresent(tls -> options.sslOptions(encrypted(tls)));
        client.setOptions(options.build());
    }

    private static SslOptions encrypted(StoreTls tls) {
        SslOptions.Builder options =
                SslOptions.builder().jdkSslProvider().trustManager(tls.trustManagers());
        tls.keyManagers().ifPresent(options::keyManager);
        return options.build();
    }

    /** Connects and checks; closes everything on failure. */
    static CheckedConnection open(RedisAddress address) {
        DRIVER_LOG.setLevel(Level.WARNING);
        CheckedConnection connection = new CheckedConnection(address);
        try {
            connection.current();
            return connection;
        } catch (RuntimeException failure) {
            connection.close();
            throw failure;
        }
    }

    private static Attempt none() {
        return new Attempt(CompletableFuture.failedFuture(new IllegalStateException("no attempt")));
    }

    /** Sends a request and waits for the response. */
    <T extends @Nullable Object> Reply<T> ask(
            Function<RedisAsyncCommands<byte[], byte[]>, RedisFuture<T>> request) {
        StatefulRedisConnection<byte[], byte[]> connection;
        try {
            connection = current();
        } catch (PetrichorException failure) {
            return new Reply.Refused<>(failure);
        }
        return answer(connection, send(connection, request));
    }

    /** Repeats a request that the server did not execute before. */
    <T extends @Nullable Object> Reply<T> askAgain(
            Function<RedisAsyncCommands<byte[], byte[]>, RedisFuture<T>> request) {
        retries.increment();
        return ask(request);
    }

    /** See {@link petrichor.kv.KeyValueStore#retries}. */
    long retries() {
        return retries.sum();
    }

    /** Sends a request without waiting; {@link Question#answer()} returns the outcome. */
    <T extends @Nullable Object> Question<T> askAhead(
            Function<RedisAsyncCommands<byte[], byte[]>, RedisFuture<T>> request) {
        StatefulRedisConnection<byte[], byte[]> connection = current();
        Future<T> future = send(connection, request);
        return () -> answer(connection, future);
    }

    /** A pending request. */
    interface Question<T extends @Nullable Object> {
        Reply<T> answer();
    }

    StoreLimits limits() {
        return admission.limits();
    }

    /** Fails if the store is closed. */
    void requireOpen() {
        if (closed) {
            throw StoreFailures.closed();
        }
    }

    private static <T extends @Nullable Object> Future<T> send(
            StatefulRedisConnection<byte[], byte[]> connection,
            Function<RedisAsyncCommands<byte[], byte[]>, RedisFuture<T>> request) {
        try {
            return request.apply(connection.async());
        } catch (RedisException rejected) {
            return CompletableFuture.failedFuture(rejected);
        }
    }

    private <T extends @Nullable Object> Reply<T> answer(
            StatefulRedisConnection<byte[], byte[]> connection, Future<T> future) {
        try {
            return new Reply.ProcessOutput<>(
                    future.get(address.timeout().toMillis(), TimeUnit.MILLISECONDS));
        } catch (ExecutionException failure) {
            RedisCommandExecutionException refusal = RedisFailures.refusal(failure);
            if (refusal != null) {
                PetrichorException why = RedisFailures.of(address.text(), refusal);
                if (RedisFailures.endsConnection(why)) {
                    giveUp(connection);
                }
                return new Reply.Refused<>(why);
            }
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            return unanswered(connection, cause);
        } catch (CancellationException givenUp) {
            return unanswered(connection, givenUp);
        } catch (TimeoutException late) {
            return unanswered(
                    connection,
                    new TimeoutException("no answer in " + address.timeout().toMillis() + " ms"));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return new Reply.Unanswered<>(RedisFailures.interrupted(address.text()));
        }
    }

    private <T extends @Nullable Object> Reply<T> unanswered(
            StatefulRedisConnection<byte[], byte[]> connection, Throwable cause) {
        giveUp(connection);
        return new Reply.Unanswered<>(
                closed ? StoreFailures.closed() : StoreFailures.unreachable(address.text(), cause));
    }

    /** Also fails all its pending requests. */
    private static void giveUp(StatefulRedisConnection<byte[], byte[]> connection) {
        CompletableFuture<Void> _ = connection.closeAsync();
    }

    private StatefulRedisConnection<byte[], byte[]> current() {
        requireOpen();
        Attempt last = attempt.get();
        if (last.isUseless()) {
            Attempt next = new Attempt(new CompletableFuture<>());
            if (attempt.compareAndSet(last, next)) {
                // On a separate thread, so that no caller waits longer than another.
                Thread.startVirtualThread(() -> connect(next));
            }
        }
        return awaited(attempt.get());
    }

    private void connect(Attempt next) {
        StatefulRedisConnection<byte[], byte[]> connection = null;
        try {
            connection = client.connect(ByteArrayCodec.INSTANCE);
            admission.require(connection.async());
            next.connection.complete(connection);
            if (closed) {
                giveUp(connection);
            }
        } catch (RuntimeException failure) {
            if (connection != null) {
                giveUp(connection);
            }
            next.connection.completeExceptionally(failure);
        }
    }

    private StatefulRedisConnection<byte[], byte[]> awaited(Attempt made) {
        try {
            return made.connection.get(address.timeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            Throwable failure = failed.getCause() == null ? failed : failed.getCause();
            requireOpen();
            RedisCommandExecutionException refusal = RedisFailures.refusal(failure);
            if (failure instanceof PetrichorException known) {
                throw known;
            } else if (refusal != null) {
                throw RedisFailures.of(address.text(), refusal);
            }
            throw StoreFailures.unreachable(address.text(), failure);
        } catch (TimeoutException late) {
            throw StoreFailures.unreachable(address.text(), late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw RedisFailures.interrupted(address.text());
        }
    }

    /** Records how many writes were acknowledged, for {@link Admission}. */
    void noteWrites(long writes) {
        admission.noteWrites(writes);
    }

    @Override
    public void close() {
        closed = true;
        client.shutdown(0, 1, TimeUnit.SECONDS);
    }
}
