package petrichor.kv.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.DurableStep.Outcome;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;
import petrichor.kv.StoreUrl;
import petrichor.kv.WriteBatch;
import petrichor.kv.jdbc.SqlDialect.Fence;

/**
 * A store in an SQL database.
 *
 * <p>Thread-safe; as many calls run at once as there are connections, further ones wait.
 *
 * <p>A read on a lost connection is retried once on another one. A write is sent again only if the
 * server reported a rollback (a deadlock, a conflict between the nodes of a cluster): without a
 * response, {@code write} fails with {@code UNAVAILABLE} and a durable step is {@code UNKNOWN}. A
 * statement that the server refuses has written nothing.
 */
final class SqlStore implements KeyValueStore {
    static final int KEY_BYTES_MAX = 1 << 20;
    static final int VALUE_BYTES_MAX = 64 << 20;

    /** The timeout of a transaction that deletes ranges, as a multiple of that of one response. */
    static final int RANGE_DELETE_TIMEOUTS = 12;

    private final SqlDialect dialect;
    private final SqlSessions sessions;
    private final SqlFailures failures;
    private final Duration timeout;
    private final String url;
    private final LongAdder retries = new LongAdder();

    SqlStore(SqlDialect dialect, StoreUrl url, Duration timeout, int connectionsMax) {
        this.dialect = dialect;
        this.sessions = new SqlSessions(dialect, url, timeout, connectionsMax);
        this.failures = new SqlFailures(url.toString());
        this.timeout = timeout;
        this.url = url.toString();
    }

    /**
     * Refuses a schema of another program.
     *
     * @param make creates the schema if it does not exist
     * @return false if it does not exist
     */
    boolean openSchema(boolean make) {
        List<String> there = repeated("", connection -> SqlReads.sqlTables(connection, dialect));
        if (!there.isEmpty() && !there.contains(Layout.FORMAT)) {
            throw StoreFailures.unfit(
                    url,
                    "'"
                            + dialect.schema()
                            + "' holds tables that are not Petrichor's (such as '"
                            + there.getFirst()
                            + "'); name another database or schema in store.url");
        }
        if (!make && !there.contains(Layout.FENCES)) {
            return false;
        }
        int version;
        try {
            version =
                    sessions.with(
                            connection -> {
                                if (!there.contains(Layout.FENCES)) {
                                    dialect.createSchema(connection);
                                }
                                return SqlReads.formatVersion(connection, dialect);
                            });
        } catch (SQLException e) {
            SqlFault fault = dialect.fault(e);
            if (fault == SqlFault.OTHER) {
                throw StoreFailures.unfit(
                        url,
                        "its table '"
                                + Layout.FORMAT
                                + "' is not Petrichor's ("
                                + SqlFailures.firstLine(e)
                                + "); name another database or schema in store.url");
            }
            throw failures.of(fault, e, Layout.FORMAT);
        }
        if (version != Layout.FORMAT_VERSION) {
            throw StoreFailures.unfit(
                    url,
                    "its rows have format "
                            + version
                            + ", but this version supports "
                            + Layout.FORMAT_VERSION
                            + "; use the version of Petrichor that wrote them");
        }
        return true;
    }

    SqlDialect dialect() {
        return dialect;
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(false, dialect.limits());
    }

    @Override
    public Set<String> tables() {
        Set<String> tables = new TreeSet<>();
        for (String sqlTable : repeated("", c -> SqlReads.sqlTables(c, dialect))) {
            if (Layout.isTable(sqlTable)) {
                tables.add(Layout.table(sqlTable));
            }
        }
        return tables;
    }

    @Override
    public void createTable(String table) {
        StoreFailures.requireTableName(table);
        repeated(
                table,
                connection -> {
                    dialect.createTable(connection, table);
                    return true;
                });
    }

    @Override
    public void dropTable(String table) {
        StoreFailures.requireTableName(table);
        String drop = "DROP TABLE IF EXISTS " + dialect.qualified(Layout.sqlTable(table));
        repeated(
                table,
                connection -> {
                    try (var statement = connection.createStatement()) {
                        return statement.execute(drop);
                    }
                });
    }

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        requireName(table);
        SplitKey split = SplitKey.of(key);
        return this.<byte @Nullable []>repeated(
                table, connection -> SqlReads.get(connection, dialect, table, split));
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        requireName(table);
        if (keys.isEmpty()) {
            // Reads an arbitrary row: only the existence of the table matters.
            get(table, new byte[0]);
            return new ArrayList<>();
        }
        List<SplitKey> split = keys.stream().map(SplitKey::of).toList();
        return repeated(
                table,
                connection -> {
                    List<byte @Nullable []> values = new ArrayList<>(keys.size());
                    for (byte[] _ : keys) {
                        values.add(null);
                    }
                    dialect.get(connection, table, split, values);
                    return values;
                });
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        StoreFailures.requireLimit(limit);
        requireName(table);
        return new SqlScan(this, table, range, direction, limit);
    }

    /** A name that no table can have would become part of a statement. */
    private static void requireName(String table) {
        try {
            StoreFailures.requireTableName(table);
        } catch (PetrichorException e) {
            throw StoreFailures.noSuchTable(table);
        }
    }

    @Override
    public void write(WriteBatch batch) {
        if (transact(null, batch) == Outcome.UNKNOWN) {
            throw StoreFailures.unreachable(url, new SQLException("the connection was lost"));
        }
    }

    @Override
    public DurableStep durableStep() {
        return new SqlFences(this);
    }

    @Override
    public long retries() {
        return retries.sum();
    }

    @Override
    public void close() {
        sessions.close();
    }

    /**
     * Runs an idempotent read; retries once on a new connection if the connection is lost, unless
     * the timeout has passed.
     */
    <T extends @Nullable Object> T repeated(String table, SqlSessions.Work<T> work) {
        TransactionRetries repeats = new TransactionRetries(timeout);
        boolean lost = false;
        while (true) {
            try {
                return sessions.with(work);
            } catch (SQLException e) {
                SqlFault fault = dialect.fault(e);
                boolean again =
                        switch (fault) {
                            case ROLLED_BACK -> repeats.next();
                            case UNREACHABLE -> !lost && !repeats.isOver();
                            case TIMEOUT,
                                    FENCED,
                                    NO_TABLE,
                                    FULL,
                                    READ_ONLY,
                                    AUTH_FAILED,
                                    DENIED,
                                    NO_DATABASE,
                                    OTHER ->
                                    false;
                        };
                if (!again) {
                    throw failures.of(fault, e, table);
                }
                lost = fault == SqlFault.UNREACHABLE;
                retries.increment();
            }
        }
    }

    /** Throws if nothing was written. */
    Outcome transact(@Nullable Fence fence, WriteBatch batch) {
        StoreFailures.requireFits(batch, capabilities());
        List<TableChanges> changes = TableChanges.of(batch);
        changes.forEach(table -> requireName(table.table()));
        TransactionRetries repeats = new TransactionRetries(timeout);
        while (true) {
            try {
                return sessions.with(connection -> transact(connection, fence, changes))
                        ? Outcome.DONE
                        : Outcome.FENCED;
            } catch (SQLException e) {
                SqlFault fault = dialect.fault(e);
                switch (fault) {
                    case UNREACHABLE, TIMEOUT, OTHER -> {
                        return Outcome.UNKNOWN;
                    }
                    case ROLLED_BACK -> {
                        if (!repeats.next()) {
                            throw failures.of(fault, e, "");
                        }
                        retries.increment();
                    }
                    case NO_TABLE -> throw failures.of(fault, e, missing(changes));
                    case FENCED, FULL, READ_ONLY, AUTH_FAILED, DENIED, NO_DATABASE ->
                            throw failures.of(fault, e, "");
                }
            }
        }
    }

    private boolean transact(
            Connection connection, @Nullable Fence fence, List<TableChanges> changes)
            throws SQLException {
        boolean slow = changes.stream().anyMatch(table -> !table.ranges().isEmpty());
        if (!slow) {
            return dialect.transact(connection, fence, changes);
        }
        int millis = (int) timeout.toMillis();
        connection.setNetworkTimeout(Runnable::run, millis * RANGE_DELETE_TIMEOUTS);
        boolean done = dialect.transact(connection, fence, changes);
        connection.setNetworkTimeout(Runnable::run, millis);
        return done;
    }

    /** Which of the tables does not exist. */
    private String missing(List<TableChanges> changes) {
        Set<String> there = tables();
        return changes.stream()
                .map(TableChanges::table)
                .filter(table -> !there.contains(table))
                .findFirst()
                .orElse("");
    }
}
