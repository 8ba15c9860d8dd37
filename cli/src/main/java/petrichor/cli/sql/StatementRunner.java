package petrichor.cli.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import petrichor.cli.sql.ResultWriter.Column;

/**
 * Runs statements one after the other on a connection. The rows of a query arrive in pages of
 * {@link #PAGE_ROWS}, for which a query outside a transaction runs in one of its own; the results
 * of other statements, such as {@code INSERT … RETURNING}, arrive at once. Confined to one thread,
 * except for {@link #cancel}.
 */
final class StatementRunner implements AutoCloseable {
    static final int PAGE_ROWS = 1_000;

    private final BaseConnection connection;
    private final PrintStream notices;
    private volatile boolean running;

    /**
     * @param connection closed with this object
     * @param notices for warnings and notices of the server
     */
    StatementRunner(BaseConnection connection, PrintStream notices) {
        this.connection = connection;
        this.notices = notices;
    }

    BaseConnection connection() {
        return connection;
    }

    /**
     * Cancels the running statement, if there is one; from any thread. May be repeated: a request
     * that arrives before the server runs the statement has no effect, and the driver's statement
     * would send only one.
     */
    void cancel() {
        if (running) {
            try {
                connection.cancelQuery();
            } catch (SQLException alreadyEnded) {
                return;
            }
        }
    }

    /** State of the transaction. */
    TransactionState transaction() {
        return connection.getTransactionState();
    }

    /** Runs a statement other than {@code COPY} from or to the client. */
    void run(String text, ResultWriter writer) throws SQLException {
        StatementKind kind = StatementKind.of(text);
        boolean failed = transaction() == TransactionState.FAILED;
        boolean own = transaction() == TransactionState.IDLE && kind.isLongQuery(text);
        if (own) {
            connection.setAutoCommit(false);
        }
        boolean done = false;
        try (Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.setFetchSize(PAGE_ROWS);
            running = true;
            boolean rows = statement.execute(text);
            warn(statement);
            if (rows) {
                try (ResultSet all = statement.getResultSet()) {
                    write(all, writer, kind);
                }
            } else {
                String tag = kind.tag(Math.max(0, statement.getLargeUpdateCount()));
                writer.done(failed && tag.equals("COMMIT") ? "ROLLBACK" : tag);
            }
            done = true;
        } finally {
            running = false;
            settle(own, done);
        }
    }

    private void warn(Statement statement) throws SQLException {
        for (SQLWarning one = statement.getWarnings(); one != null; one = one.getNextWarning()) {
            notices.println("NOTICE: " + one.getMessage());
        }
    }

    /**
     * Ends a transaction of its own. Within a transaction of the user, the driver must not send
     * BEGIN, and must keep the transaction open between statements.
     */
    private void settle(boolean own, boolean done) throws SQLException {
        if (connection.isClosed()) {
            return;
        }
        if (own) {
            if (done) {
                connection.commit();
            } else {
                connection.rollback();
            }
        }
        boolean idle = transaction() == TransactionState.IDLE;
        if (connection.getAutoCommit() != idle) {
            connection.setAutoCommit(idle);
        }
    }

    private static void write(ResultSet rows, ResultWriter writer, StatementKind kind)
            throws SQLException {
        List<Column> columns = columns(rows.getMetaData());
        if (kind.isExplain() && columns.size() == 1 && writer instanceof TableWriter table) {
            List<String> plan = new ArrayList<>();
            while (rows.next()) {
                plan.add(String.valueOf(rows.getString(1)));
            }
            table.text(PlanTree.of(String.join("\n", plan)));
            return;
        }
        writer.begin(columns);
        long count = 0;
        try {
            List<@Nullable String> cells = new ArrayList<>(columns.size());
            while (rows.next()) {
                cells.clear();
                for (int i = 1; i <= columns.size(); i++) {
                    cells.add(rows.getString(i));
                }
                writer.row(cells);
                count++;
            }
        } finally {
            writer.end(count);
        }
    }

    private static List<Column> columns(ResultSetMetaData data) throws SQLException {
        List<Column> columns = new ArrayList<>();
        for (int i = 1; i <= data.getColumnCount(); i++) {
            columns.add(
                    new Column(
                            data.getColumnLabel(i),
                            data.getColumnType(i),
                            data.getColumnTypeName(i)));
        }
        return columns;
    }

    /** Sends the input to {@code COPY … FROM STDIN}; the number of rows. */
    long copyIn(String text, InputStream input) throws SQLException, IOException {
        return new CopyManager(connection).copyIn(text, input);
    }

    /** Writes what {@code COPY … TO STDOUT} returns; the number of rows. */
    long copyOut(String text, OutputStream output) throws SQLException, IOException {
        return new CopyManager(connection).copyOut(text, output);
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException alreadyLost) {
            return;
        }
    }
}
