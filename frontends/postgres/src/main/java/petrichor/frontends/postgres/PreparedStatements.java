package petrichor.frontends.postgres;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.sql.RowIterator;
import petrichor.sql.SqlException;
import petrichor.sql.SqlStatement;
import petrichor.sql.StatementResult;

/** The statements and portals of a connection, by name. Confined to its thread. */
final class PreparedStatements {
    /** Of each kind. */
    private static final int NAMES_MAX = 5_000;

    private final Map<String, SqlStatement> statements = new HashMap<>();
    private final Map<String, Portal> portals = new HashMap<>();

    /** A statement with its parameters, and its result once it is executed. */
    static final class Portal {
        private final SqlStatement statement;
        private final List<@Nullable Object> parameters;
        private final boolean[] binary;
        private @Nullable StatementResult result;
        private boolean ended;

        /**
         * @param binary for each column of the result
         */
        Portal(SqlStatement statement, List<@Nullable Object> parameters, boolean[] binary) {
            this.statement = statement;
            this.parameters = parameters;
            this.binary = binary;
        }

        SqlStatement statement() {
            return statement;
        }

        boolean[] binary() {
            return binary;
        }

        /** Executes the statement on the first call. */
        StatementResult result() {
            StatementResult known = result;
            if (known == null) {
                known = statement.execute(parameters);
                result = known;
            }
            return known;
        }

        /** Whether all rows were sent. */
        boolean ended() {
            return ended;
        }

        void end() {
            ended = true;
            close();
        }

        void close() {
            if (result instanceof StatementResult.Rows(_, _, RowIterator rows)) {
                rows.close();
            }
        }
    }

    void add(String name, SqlStatement statement) {
        if (name.isEmpty()) {
            closeStatement(name);
        } else if (statements.containsKey(name)) {
            throw new SqlException("42P05", "prepared statement \"" + name + "\" already exists");
        }
        requireFree(statements);
        statements.put(name, statement);
    }

    SqlStatement statement(String name) {
        SqlStatement found = statements.get(name);
        if (found == null) {
            throw new SqlException(
                    "26000",
                    name.isEmpty()
                            ? "unnamed prepared statement does not exist"
                            : "prepared statement \"" + name + "\" does not exist");
        }
        return found;
    }

    void add(String name, Portal portal) {
        if (name.isEmpty()) {
            closePortal(name);
        } else if (portals.containsKey(name)) {
            throw new SqlException("42P03", "cursor \"" + name + "\" already exists");
        }
        requireFree(portals);
        portals.put(name, portal);
    }

    private static void requireFree(Map<String, ?> names) {
        if (names.size() >= NAMES_MAX) {
            throw new SqlException(
                    "53400",
                    "the connection has "
                            + NAMES_MAX
                            + " prepared statements or portals, as many as it may; close some");
        }
    }

    Portal portal(String name) {
        Portal found = portals.get(name);
        if (found == null) {
            throw new SqlException("34000", "portal \"" + name + "\" does not exist");
        }
        return found;
    }

    void closeStatement(String name) {
        SqlStatement closed = statements.remove(name);
        if (closed != null) {
            closed.close();
        }
    }

    void closePortal(String name) {
        Portal closed = portals.remove(name);
        if (closed != null) {
            closed.close();
        }
    }

    /** Portals live until their transaction ends. */
    void closePortals() {
        portals.values().forEach(Portal::close);
        portals.clear();
    }

    void closeStatements() {
        statements.values().forEach(SqlStatement::close);
        statements.clear();
    }

    void closeAll() {
        closePortals();
        closeStatements();
    }
}
