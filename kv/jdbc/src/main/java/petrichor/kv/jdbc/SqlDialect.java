package petrichor.kv.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.kv.StoreLimits;
import petrichor.kv.StoreUrl;

/**
 * In what PostgreSQL and MariaDB differ. Has no state but what the address said; each call uses the
 * connection that it is given, in one round trip where nothing else is said.
 *
 * <p>Every connection commits by itself ({@code autocommit}) and runs at READ COMMITTED. That is
 * enough: a read is one statement, and a statement sees one moment, after all that was committed
 * before; a durable step takes hold of its fence first and only then looks at rows, each of its
 * statements at what is committed by then. Nothing else is ever decided by what a transaction has
 * read.
 */
interface SqlDialect {
    /** The fence that a transaction depends on. */
    record Fence(byte[] domain, long number) {}

    int usualPort();

    /** Known when the first connection is prepared. */
    StoreLimits limits();

    /** Connects and logs in; several round trips. */
    Connection connect(StoreUrl.Node node) throws SQLException;

    /**
     * Brings a new connection into the mode that we promise, or says what of the server's
     * configuration is in the way of it, and what to change.
     */
    Optional<String> prepare(Connection connection) throws SQLException;

    SqlFault fault(SQLException failure);

    /** The SQL schema with all of our tables. */
    String schema();

    /** Quoted, with its schema. */
    String qualified(String sqlTable);

    /** Makes the schema and the tables of {@link Layout} that every store has; may be repeated. */
    void createSchema(Connection connection) throws SQLException;

    /** Does nothing if it is there. */
    void createTable(Connection connection, String table) throws SQLException;

    /** Fills in the given values; the other places stay null. */
    void get(
            Connection connection,
            String table,
            List<SplitKey> keys,
            List<byte @Nullable []> values)
            throws SQLException;

    /** Waits for the transactions that depend on the older fence. */
    long takeFence(Connection connection, byte[] domain) throws SQLException;

    /**
     * One transaction: the fence if there is one, then all changes. False if the fence was another;
     * nothing was written then. Leaves no transaction open, unless the connection is lost.
     */
    boolean transact(Connection connection, @Nullable Fence fence, List<TableChanges> changes)
            throws SQLException;
}
