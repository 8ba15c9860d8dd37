package petrichor.kv.dynamodb;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreFailures;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;

/**
 * The SDK's client. The SDK retries requests with exponential backoff until the address's timeout,
 * including throttled ones.
 *
 * <p>Thread-safe. Failures are {@link PetrichorException}, see {@link DynamoDbFailures}; but a
 * failed condition is thrown as the SDK's own exception.
 */
final class DynamoDbConnection implements AutoCloseable {
    private static final Duration CONNECT_TIME_MAX = Duration.ofSeconds(2);
    private static final int ATTEMPTS_MAX = 100;
    private static final int HTTPS_PORT = 443;

    /** Concurrent requests of one call; more would only queue in a server. */
    private static final int PARALLEL_MAX = 8;

    private final DynamoDbAddress address;
    private final DynamoDbClient client;
    private final Repetitions repetitions = new Repetitions();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private volatile boolean closed;

    DynamoDbConnection(DynamoDbAddress address) {
        this.address = address;
        AwsCredentialsProvider credentials =
                address.credentials().isPresent()
                        ? StaticCredentialsProvider.create(address.credentials().get())
                        : DefaultCredentialsProvider.builder().build();
        this.client =
                DynamoDbClient.builder()
                        .endpointOverride(address.endpoint())
                        .region(Region.of(address.region()))
                        .credentialsProvider(credentials)
                        .httpClientBuilder(http(address))
                        .overrideConfiguration(
                                settings ->
                                        settings.apiCallTimeout(address.timeout())
                                                .addExecutionInterceptor(new LastErrorResponse())
                                                .addExecutionInterceptor(repetitions)
                                                .retryStrategy(
                                                        retries ->
                                                                retries.maxAttempts(ATTEMPTS_MAX)
                                                                        .retryOnException(
                                                                                DynamoDbFailures
                                                                                        ::isConflict)))
                        .build();
    }

    /** The SDK would retry a failing handshake, and then report only a timeout. */
    private static UrlConnectionHttpClient.Builder http(DynamoDbAddress address) {
        UrlConnectionHttpClient.Builder http =
                UrlConnectionHttpClient.builder()
                        .connectionTimeout(CONNECT_TIME_MAX)
                        .socketTimeout(address.timeout());
        address.tls()
                .ifPresent(
                        tls -> {
                            URI server = address.endpoint();
                            boolean _ =
                                    tls.check(
                                            address.name(),
                                            server.getHost(),
                                            server.getPort() < 0 ? HTTPS_PORT : server.getPort(),
                                            CONNECT_TIME_MAX);
                            if (tls.trust().isPresent()) {
                                http.tlsTrustManagersProvider(
                                        () -> tls.trustManagers().getTrustManagers());
                            }
                            tls.keyManagers()
                                    .ifPresent(
                                            own ->
                                                    http.tlsKeyManagersProvider(
                                                            own::getKeyManagers));
                        });
        return http;
    }

    DynamoDbAddress address() {
        return address;
    }

    /** The DynamoDB name of a table. */
    String name(String table) {
        return address.prefix() + "." + table;
    }

    /** Number of requests that the SDK has retried. */
    long retries() {
        return repetitions.count();
    }

    void requireOpen() {
        if (closed) {
            throw StoreFailures.closed();
        }
    }

    /**
     * @param table the table of the request, null if none or several
     */
    <T> T call(@Nullable String table, Function<DynamoDbClient, T> request) {
        requireOpen();
        try {
            return request.apply(client);
        } catch (ConditionalCheckFailedException condition) {
            throw condition;
        } catch (SdkException failed) {
            throw closed
                    ? StoreFailures.closed()
                    : DynamoDbFailures.of(address.name(), table, failed);
        } catch (IllegalStateException | RejectedExecutionException failed) {
            // The SDK's message for a closed client.
            throw closed ? StoreFailures.closed() : failed;
        }
    }

    /** Runs all requests, several in parallel; throws the first failure when all have ended. */
    void all(List<Runnable> requests) {
        if (requests.size() == 1) {
            requests.getFirst().run();
            return;
        }
        List<Future<?>> running = new ArrayList<>();
        Semaphore parallel = new Semaphore(PARALLEL_MAX);
        try {
            for (Runnable request : requests) {
                running.add(threads.submit(() -> limited(parallel, request)));
            }
        } catch (RejectedExecutionException shutDown) {
            throw StoreFailures.closed();
        }
        PetrichorException first = null;
        for (Future<?> one : running) {
            try {
                one.get();
            } catch (ExecutionException failed) {
                if (!(failed.getCause() instanceof PetrichorException ours)) {
                    throw new IllegalStateException(failed.getCause());
                }
                first = first == null ? ours : first;
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw StoreFailures.unreachable(address.name(), interrupted);
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private static void limited(Semaphore parallel, Runnable request) {
        parallel.acquireUninterruptibly();
        try {
            request.run();
        } finally {
            parallel.release();
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            threads.shutdownNow();
            client.close();
        }
    }
}
