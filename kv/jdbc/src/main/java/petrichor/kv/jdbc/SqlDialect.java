package petrichor.kv.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.kv.StoreLimits;
import petrichor.kv.StoreUrl;

/**
 * The differences between PostgreSQL and MariaDB. Stateless except for the address; each call uses
 * the given connection, in one round trip unless stated otherwise.
 *
 * <p>Every connection uses {@code autocommit} at READ COMMITTED. That is enough: a read is one
 * statement, and a statement sees the state of one moment, after all earlier commits; a durable
 * step locks its fence first and reads rows only afterwards, each of its statements at the state
 * committed by then. No other decision depends on what a transaction has read.
 */
interface SqlDialect {
    /** The fence that a transaction depends on. */
    record Fence(byte[] domain, long number) {}

    int usualPort();

    /** Known once the first connection is prepared. */
    StoreLimits limits();

    /** Connects and logs in; several round trips. */
    Connection connect(StoreUrl.Node node) throws SQLException;

    /**
     * Configures a new connection for the promised guarantees, or returns what in the server's
     * configuration prevents that, and what to change.
     */
    Optional<String> prepare(Connection connection) throws SQLException;

    SqlFault fault(SQLException failure);

    /** The SQL schema that contains all tables. */
    String schema();

    /** The quoted name, with its schema. */
    String qualified(String sqlTable);

    /** Creates the schema and the tables of {@link Layout} common to all stores; idempotent. */
    void createSchema(Connection connection) throws SQLException;

    /** Does nothing if it exists. */
    void createTable(Connection connection, String table) throws SQLException;

    /** Fills in the values found; the other elements stay null. */
    void get(
            Connection connection,
            String table,
            List<SplitKey> keys,
            List<byte @Nullable []> values)
            throws SQLException;

    /** Waits for the transactions that depend on the older fence. */
    long takeFence(Connection connection, byte[] domain) throws SQLException;

    /**
     * One transaction: checks the fence, if there is one, then applies all changes. False if the
     * fence does not match; nothing was written then. Leaves no transaction open, unless the
     * connection is lost.
     */
    boolean transact(Connection connection, @Nullable Fence fence, List<TableChanges> changes)
            throws SQLException;
}
