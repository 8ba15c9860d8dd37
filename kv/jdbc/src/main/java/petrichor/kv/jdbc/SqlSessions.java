package petrichor.kv.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreFailures;
import petrichor.kv.StoreUrl;

/**
 * A bounded pool of connections to one store, most recently used first, without threads.
 * Thread-safe; a caller waits for a free connection for at most the timeout of one request.
 *
 * <p>When one connection is lost, the idle ones are closed too: they go to the same server, and
 * each would cost a caller its response. The next caller opens a connection to the first node that
 * serves, so nothing has to be restarted after a restart of the server.
 */
final class SqlSessions implements AutoCloseable {
    /** A connection that was idle for longer than this is tested before it is used. */
    static final Duration UNASKED_MAX = Duration.ofMillis(500);

    /** Work on a connection; may be repeated on another one if the server was unreachable. */
    interface Work<T extends @Nullable Object> {
        T on(Connection connection) throws SQLException;
    }

    private record Idle(Connection connection, int generation, long sinceNanos) {}

    private final SqlDialect dialect;
    private final List<StoreUrl.Node> nodes;
    private final String store;
    private final Duration timeout;
    private final Semaphore free;
    private final ConcurrentLinkedDeque<Idle> idle = new ConcurrentLinkedDeque<>();

    /**
     * Incremented when a connection is lost; connections of earlier generations are not used again.
     */
    private final AtomicInteger generation = new AtomicInteger();

    /** The node of the last connection, which is tried first. */
    private volatile int lastNode;

    private volatile boolean closed;

    SqlSessions(SqlDialect dialect, StoreUrl url, Duration timeout, int connectionsMax) {
        this.dialect = dialect;
        this.nodes = url.nodes();
        this.store = url.toString();
        this.timeout = timeout;
        this.free = new Semaphore(connectionsMax);
    }

    /**
     * Fails with {@link PetrichorException} if no connection was available, so that nothing was
     * done; with {@link SQLException} if the work did.
     */
    <T extends @Nullable Object> T with(Work<T> work) throws SQLException {
        takePlace();
        try {
            int born = generation.get();
            Connection connection = connection();
            boolean keep = false;
            try {
                T result = work.on(connection);
                keep = true;
                return result;
            } catch (SQLException e) {
                SqlFault fault = dialect.fault(e);
                keep = isUsable(fault) && !connection.isClosed();
                if (fault == SqlFault.UNREACHABLE || fault == SqlFault.READ_ONLY) {
                    generation.incrementAndGet();
                }
                if (closed) {
                    throw closedBy(e);
                }
                throw e;
            } finally {
                giveBack(connection, born, keep);
            }
        } finally {
            free.release();
        }
    }

    /** Whether a connection can be reused after this fault. */
    private static boolean isUsable(SqlFault fault) {
        return switch (fault) {
            case UNREACHABLE, TIMEOUT, READ_ONLY, OTHER -> false;
            case ROLLED_BACK, FENCED, NO_TABLE, FULL, AUTH_FAILED, DENIED, NO_DATABASE -> true;
        };
    }

    private void takePlace() {
        if (closed) {
            throw StoreFailures.closed();
        }
        try {
            if (!free.tryAcquire(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                throw PetrichorException.of(
                        ErrorCode.UNAVAILABLE,
                        "all connections to the store {store} were busy for {timeout} ms; retry, or"
                                + " raise 'connections' in store.url",
                        "store",
                        store,
                        "timeout",
                        timeout.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw StoreFailures.unreachable(store, e);
        }
    }

    private Connection connection() {
        Idle next;
        while ((next = idle.pollFirst()) != null) {
            if (next.generation() == generation.get() && answers(next)) {
                return next.connection();
            }
            quietlyClose(next.connection());
        }
        return connect();
    }

    private boolean answers(Idle lying) {
        if (System.nanoTime() - lying.sinceNanos() < UNASKED_MAX.toNanos()) {
            return true;
        }
        try {
            if (lying.connection().isValid(1)) {
                return true;
            }
        } catch (SQLException dead) {
            // Reported below.
        }
        generation.incrementAndGet();
        return false;
    }

    private void giveBack(Connection connection, int born, boolean keep) {
        if (!keep || closed) {
            quietlyClose(connection);
            return;
        }
        idle.addFirst(new Idle(connection, born, System.nanoTime()));
        if (closed) {
            closeIdle();
        }
    }

    /** A new connection to the first node that serves; tries each node once. */
    private Connection connect() {
        PetrichorException failure = null;
        int first = lastNode;
        for (int i = 0; i < nodes.size(); i++) {
            int node = (first + i) % nodes.size();
            try {
                Connection connection = connect(nodes.get(node));
                lastNode = node;
                return connection;
            } catch (PetrichorException e) {
                failure = failure == null ? e : failure;
            }
        }
        throw failure == null ? new IllegalStateException("an address without nodes") : failure;
    }

    private Connection connect(StoreUrl.Node node) {
        Connection connection = null;
        try {
            connection = dialect.connect(node);
            connection.setNetworkTimeout(Runnable::run, (int) timeout.toMillis());
            Optional<String> unfit = dialect.prepare(connection);
            if (unfit.isPresent()) {
                throw StoreFailures.unfit(store, unfit.get());
            }
            Connection ready = connection;
            connection = null;
            return ready;
        } catch (SQLException e) {
            throw new SqlFailures(store).of(dialect.fault(e), e, "");
        } finally {
            if (connection != null) {
                quietlyClose(connection);
            }
        }
    }

    private static PetrichorException closedBy(SQLException e) {
        PetrichorException failure = StoreFailures.closed();
        failure.addSuppressed(e);
        return failure;
    }

    private static void quietlyClose(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // The connection is not needed any more.
        }
    }

    private void closeIdle() {
        Idle next;
        while ((next = idle.pollFirst()) != null) {
            quietlyClose(next.connection());
        }
    }

    /** Closes connections in use when they are returned. */
    @Override
    public void close() {
        closed = true;
        closeIdle();
    }
}
