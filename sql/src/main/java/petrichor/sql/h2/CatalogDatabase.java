package petrichor.sql.h2;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.h2.command.Command;
import org.h2.engine.ConnectionInfo;
import org.h2.engine.Engine;
import org.h2.engine.SessionLocal;
import org.h2.expression.ParameterInterface;
import org.h2.result.ResultInterface;
import org.jspecify.annotations.Nullable;
import petrichor.sql.ResultColumn;

/**
 * Rows that describe a catalog, in an H2 database in memory: what queries of PostgreSQL's system
 * catalogs read. Thread-safe: one query runs at a time.
 */
public final class CatalogDatabase implements AutoCloseable {
    static {
        H2Properties.set();
    }

    private static final String URL =
            "jdbc:h2:mem:;MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH"
                    + ";DB_CLOSE_DELAY=-1;BUILTIN_ALIAS_OVERRIDE=TRUE;NON_KEYWORDS=VALUE,KEY,DAY,"
                    + "MONTH,YEAR,HOUR,MINUTE,SECOND,USER";

    private final SessionLocal session;

    public CatalogDatabase() {
        session =
                Engine.createSession(
                        new ConnectionInfo(URL, new Properties(), "petrichor", new char[0]));
    }

    /** Rows of a query, all in memory. */
    public record Found(List<ResultColumn> columns, List<List<@Nullable Object>> rows) {
        public Found {
            columns = List.copyOf(columns);
        }
    }

    public synchronized void define(String statement) {
        try (Command command = session.prepareLocal(statement)) {
            command.executeUpdate(null);
        } catch (RuntimeException failed) {
            throw H2Errors.translate(failed, List.of());
        }
    }

    public synchronized void insert(String statement, List<List<@Nullable Object>> rows) {
        try (Command command = session.prepareLocal(statement)) {
            for (List<@Nullable Object> row : rows) {
                bind(command, row);
                command.executeUpdate(null);
            }
        } catch (RuntimeException failed) {
            throw H2Errors.translate(failed, List.of());
        }
    }

    private static void bind(Command command, List<@Nullable Object> values) {
        List<? extends ParameterInterface> parameters = command.getParameters();
        for (int i = 0; i < Math.min(values.size(), parameters.size()); i++) {
            parameters.get(i).setValue(Values.toH2(values.get(i)), true);
        }
    }

    public synchronized H2Session.Description describe(String text) {
        try (Command command = session.prepareLocal(text)) {
            List<petrichor.tables.ColumnType> parameters = new ArrayList<>();
            for (ParameterInterface parameter : command.getParameters()) {
                parameters.add(Values.type(parameter.getType()));
            }
            try (ResultInterface meta = command.getMetaData()) {
                return new H2Session.Description(parameters, columns(meta));
            }
        } catch (RuntimeException | StackOverflowError failed) {
            throw H2Errors.translate(failed, List.of());
        }
    }

    private static List<ResultColumn> columns(ResultInterface result) {
        List<ResultColumn> columns = new ArrayList<>();
        for (int i = 0; i < result.getVisibleColumnCount(); i++) {
            columns.add(new ResultColumn(result.getAlias(i), Values.type(result.getColumnType(i))));
        }
        return columns;
    }

    public synchronized Found query(String text, List<@Nullable Object> parameters) {
        try (Command command = session.prepareLocal(text)) {
            bind(command, parameters);
            List<List<@Nullable Object>> rows = new ArrayList<>();
            try (ResultInterface result = command.executeQuery(0, 0, false)) {
                List<ResultColumn> columns = columns(result);
                while (result.next()) {
                    List<@Nullable Object> row = new ArrayList<>(columns.size());
                    for (int i = 0; i < columns.size(); i++) {
                        row.add(Values.toJava(result.currentRow()[i]));
                    }
                    rows.add(row);
                }
                return new Found(columns, rows);
            }
        } catch (RuntimeException | StackOverflowError failed) {
            throw H2Errors.translate(failed, List.of());
        }
    }

    @Override
    public synchronized void close() {
        session.getDatabase().shutdownImmediately();
    }
}
