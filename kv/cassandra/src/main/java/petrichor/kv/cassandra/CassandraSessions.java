package petrichor.kv.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.ssl.ProgrammaticSslEngineFactory;
import com.datastax.oss.driver.internal.core.loadbalancing.DcInferringLoadBalancingPolicy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Opens driver sessions, configured so that nothing waits or retries implicitly. */
final class CassandraSessions {
    /** First delay before a node that was unreachable is tried again. */
    private static final Duration RECONNECT_AT_FIRST = Duration.ofMillis(200);

    private static final Duration RECONNECT_MAX = Duration.ofSeconds(2);

    /** For requests to one node; Cassandra's default is lower. */
    private static final int REQUESTS_PER_CONNECTION = 8_192;

    private static final int CLOSE_MAX_MS = 5_000;

    /** The driver's default is two seconds for each of its thread groups. */
    private static final int QUIET_MS = 100;

    /** Keeps a reference, since an unreferenced logger loses its level. */
    private static final Logger DRIVER_LOG = Logger.getLogger("com.datastax.oss.driver");

    static {
        DRIVER_LOG.setLevel(Level.WARNING);
    }

    private CassandraSessions() {}

    /** Runs without the driver's warnings: refusals are expected when trying several users. */
    static void quietly(Runnable work) {
        DRIVER_LOG.setLevel(Level.SEVERE);
        try {
            work.run();
        } finally {
            DRIVER_LOG.setLevel(Level.WARNING);
        }
    }

    /**
     * Waits for the driver's threads for a bounded time: if they end before the driver is notified,
     * its own close never returns.
     */
    static void close(CqlSession session) {
        CompletableFuture<Void> closed = session.closeAsync().toCompletableFuture();
        closed.completeOnTimeout(null, CLOSE_MAX_MS, TimeUnit.MILLISECONDS)
                .exceptionally(e -> null)
                .join();
    }

    /** Number of requests of a session that the driver has retried. */
    static long retries(CqlSession session) {
        return session.getContext().getRetryPolicies().values().stream()
                .filter(IdempotentRetries.class::isInstance)
                .map(IdempotentRetries.class::cast)
                .distinct()
                .mapToLong(IdempotentRetries::retries)
                .sum();
    }

    static CqlSession open(CassandraAddress address) {
        ClassLoader loader = CassandraSessions.class.getClassLoader();
        Duration timeout = address.timeout();
        DriverConfigLoader config =
                DriverConfigLoader.programmaticBuilder(loader)
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, timeout)
                        .withDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT, timeout)
                        .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, timeout)
                        .withDuration(DefaultDriverOption.CONNECTION_SET_KEYSPACE_TIMEOUT, timeout)
                        .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, timeout)
                        .withDuration(DefaultDriverOption.HEARTBEAT_TIMEOUT, timeout)
                        .withDuration(DefaultDriverOption.HEARTBEAT_INTERVAL, timeout)
                        .withDuration(
                                DefaultDriverOption.RECONNECTION_BASE_DELAY, RECONNECT_AT_FIRST)
                        .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, RECONNECT_MAX)
                        .withInt(
                                DefaultDriverOption.CONNECTION_MAX_REQUESTS,
                                REQUESTS_PER_CONNECTION)
                        .withString(DefaultDriverOption.NETTY_IO_SHUTDOWN_UNIT, "MILLISECONDS")
                        .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_TIMEOUT, CLOSE_MAX_MS)
                        .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, QUIET_MS)
                        .withString(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_UNIT, "MILLISECONDS")
                        .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_TIMEOUT, CLOSE_MAX_MS)
                        .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, QUIET_MS)
                        .withClass(DefaultDriverOption.RETRY_POLICY_CLASS, IdempotentRetries.class)
                        .withClass(
                                DefaultDriverOption.LOAD_BALANCING_POLICY_CLASS,
                                DcInferringLoadBalancingPolicy.class)
                        .build();
        CqlSessionBuilder builder =
                CqlSession.builder()
                        .withClassLoader(loader)
                        .withConfigLoader(config)
                        .addContactPoints(address.contacts());
        address.user()
                .ifPresent(
                        user -> builder.withAuthCredentials(user, address.password().orElse("")));
        // Certificates name nodes as the cluster does: no reverse DNS lookup.
        address.tls()
                .ifPresent(
                        tls ->
                                builder.withSslEngineFactory(
                                        new ProgrammaticSslEngineFactory(
                                                tls.context(), null, tls.verifyHost(), false)));
        try {
            return builder.build();
        } catch (DriverException | IllegalStateException failed) {
            throw new CassandraFailures(address.text()).of(failed);
        }
    }
}
