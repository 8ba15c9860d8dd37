package petrichor.kv.hbase;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;
import petrichor.kv.StoreFailures;

/**
 * The driver's connection, and bounded waits for its futures. Every wait ends: the driver gives up
 * after the address's timeout, and this class slightly later in any case. After a failure nothing
 * has to be reopened: the driver finds restarted servers by itself.
 *
 * <p>Thread-safe. Failures are {@link petrichor.base.PetrichorException}, see {@link
 * HBaseFailures}.
 */
final class HBaseConnection implements AutoCloseable {
    /** The driver ends an operation itself; this covers operations that it has lost. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    /** Tables are created and dropped by slow procedures of the master. */
    private static final Duration CHANGE_TIME_MAX = Duration.ofMinutes(1);

    /** The driver logs its attempts; relevant errors reach the caller as failures. */
    private static final List<Logger> QUIET =
            List.of(
                    quiet("org.apache.hadoop", Level.WARNING),
                    quiet("org.apache.zookeeper", Level.WARNING),
                    quiet("org.apache.hadoop.util.NativeCodeLoader", Level.SEVERE),
                    quiet("org.apache.hadoop.hbase.unsafe", Level.SEVERE),
                    quiet("org.apache.hadoop.hbase.util.DynamicClassLoader", Level.SEVERE),
                    quiet("org.apache.hadoop.hbase.client", Level.SEVERE),
                    quiet("org.apache.hadoop.hbase.ipc", Level.SEVERE));

    private final HBaseAddress address;
    private final CountedRpcClient.Settings settings;
    private final AsyncConnection driver;

    /**
     * The driver looks a name up among all it has ever seen, which costs as much as the rest of a
     * get.
     */
    private final Map<String, AsyncTable<?>> driverTables = new ConcurrentHashMap<>();

    private volatile boolean closed;

    private HBaseConnection(
            HBaseAddress address, CountedRpcClient.Settings settings, AsyncConnection driver) {
        this.address = address;
        this.settings = settings;
        this.driver = driver;
    }

    private static Logger quiet(String name, Level level) {
        Logger logger = Logger.getLogger(name);
        logger.setLevel(level);
        return logger;
    }

    /**
     * The driver loads its parts by name through the context class loader of the opening thread.
     * The program may have another Hadoop version, for jobs, with whose parts the driver does not
     * work.
     */
    static HBaseConnection open(HBaseAddress address) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(HBaseConnection.class.getClassLoader());
        try {
            return connect(address);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static HBaseConnection connect(HBaseAddress address) {
        if (QUIET.isEmpty()) {
            throw new IllegalStateException(
                    "keeps the logger reachable, so that its level is kept");
        }
        if (address.zookeeper().isEmpty()) {
            address.checkTls();
        }
        CountedRpcClient.Settings settings = address.configuration();
        try {
            User user =
                    address.user().isPresent()
                            ? User.create(
                                    UserGroupInformation.createRemoteUser(address.user().get()))
                            : User.getCurrent();
            return new HBaseConnection(
                    address,
                    settings,
                    ConnectionFactory.createAsyncConnection(settings, user)
                            .get(address.timeout().plus(GRACE).toMillis(), TimeUnit.MILLISECONDS));
        } catch (ExecutionException | TimeoutException | IOException failed) {
            throw HBaseFailures.of(address.name(), null, failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw StoreFailures.unreachable(address.name(), interrupted);
        }
    }

    /** See {@link petrichor.kv.KeyValueStore#retries}. */
    long retries() {
        return settings.retries();
    }

    HBaseAddress address() {
        return address;
    }

    TableName name(String table) {
        return TableName.valueOf(address.namespace(), table);
    }

    AsyncTable<?> table(String table) {
        requireOpen();
        return driverTables.computeIfAbsent(table, name -> driver.getTable(name(name)));
    }

    AsyncAdmin admin() {
        requireOpen();
        return driver.getAdmin();
    }

    /** For changes of tables, with longer timeouts. */
    AsyncAdmin changingAdmin() {
        requireOpen();
        return driver.getAdminBuilder()
                .setOperationTimeout(CHANGE_TIME_MAX.toMillis(), TimeUnit.MILLISECONDS)
                .build();
    }

    /** Cached region locations may be wrong after a table was dropped. */
    void forgetRegions(String table) {
        driver.getRegionLocator(name(table)).clearRegionLocationCache();
    }

    void requireOpen() {
        if (closed) {
            throw StoreFailures.closed();
        }
    }

    /**
     * @param table the table of the request, null if none or several
     */
    <T extends @Nullable Object> T await(CompletableFuture<T> answer, @Nullable String table) {
        return await(answer, table, address.timeout().plus(GRACE));
    }

    <T extends @Nullable Object> T awaitChange(
            CompletableFuture<T> answer, @Nullable String table) {
        return await(answer, table, CHANGE_TIME_MAX.plus(GRACE));
    }

    private <T extends @Nullable Object> T await(
            CompletableFuture<T> answer, @Nullable String table, Duration longest) {
        try {
            return answer.get(longest.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            throw failure(table, failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw StoreFailures.unreachable(address.name(), interrupted);
        }
    }

    RuntimeException failure(@Nullable String table, Throwable failed) {
        return closed ? StoreFailures.closed() : HBaseFailures.of(address.name(), table, failed);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            driver.close();
        } catch (IOException unclean) {
            // No data is lost: acknowledged writes are on the servers.
            Logger.getLogger(HBaseConnection.class.getName())
                    .log(
                            Level.FINE,
                            "closing the driver of {0} failed: {1}",
                            new Object[] {address.name(), unclean});
        }
    }
}
