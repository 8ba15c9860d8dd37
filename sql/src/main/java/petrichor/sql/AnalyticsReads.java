package petrichor.sql;

import org.jspecify.annotations.Nullable;

import java.util.Collections;
import java.util.List;

/**
 * A session's queries on the analytics engine, chosen by {@code petrichor.engine}. They read the
 * version of their transaction, which must not have written, and cannot write afterwards: its reads
 * there are not validated. Confined to the session's thread, except {@link #cancel}.
 */
final class AnalyticsReads {
    /** The variable that selects the engine. */
    static final String ENGINE = "petrichor.engine";

    private final @Nullable AnalyticsEngine engine;
    private final SessionSettings settings;
    private final SqlDatabase database;
    private volatile AnalyticsEngine.@Nullable Execution running;

    AnalyticsReads(SqlDatabase database, SessionSettings settings) {
        this.database = database;
        this.engine = database.analytics();
        this.settings = settings;
    }

    /** Null if the statement belongs to the other engine. */
    @Nullable StatementResult query(
            Block open, StatementText statement, List<@Nullable Object> parameters) {
        AnalyticsEngine chosen = chosen(open, statement);
        if (chosen == null) {
            return null;
        }
        AnalyticsEngine.Query query = request(open, statement, parameters);
        if (settings.engine() == SessionSettings.Engine.AUTO && !chosen.suits(query)) {
            return null;
        }
        open.unvalidated();
        AnalyticsEngine.Execution execution = chosen.execution(query);
        running = execution;
        boolean started = false;
        try {
            List<ResultColumn> columns = execution.start();
            RowIterator rows =
                    new SessionRows(
                            open,
                            execution,
                            () -> running = execution,
                            () -> running = null,
                            () -> running = null);
            open.open(rows);
            started = true;
            return statement.named(new StatementResult.Rows(statement.tag(), columns, rows));
        } finally {
            running = null;
            if (!started) {
                execution.close();
            }
        }
    }

    /** The columns of a query of this engine; null if it belongs to the other one. */
    @Nullable List<ResultColumn> columns(Block open, StatementText statement) {
        AnalyticsEngine chosen = chosen(open, statement);
        if (chosen == null) {
            return null;
        }
        AnalyticsEngine.Query query = request(open, statement, List.of());
        if (settings.engine() == SessionSettings.Engine.AUTO && !chosen.suits(query)) {
            return null;
        }
        return statement.shape().named(chosen.describe(query));
    }

    private @Nullable AnalyticsEngine chosen(Block open, StatementText statement) {
        boolean wanted =
                settings.engine() != SessionSettings.Engine.TRANSACTIONS
                        && statement.kind() == StatementText.Kind.QUERY
                        && !locks(statement)
                        && !statement.words().contains("NEXTVAL");
        if (!wanted) {
            return null;
        }
        boolean required = settings.engine() == SessionSettings.Engine.ANALYTICS;
        AnalyticsEngine known = engine;
        if (known == null) {
            if (required) {
                throw new SqlException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "this server has no analytics engine",
                        "Set sql.analytics-memory, or SET petrichor.engine = 'transactions'.",
                        0,
                        null);
            }
            return null;
        }
        return accepts(open, required) ? known : null;
    }

    /** By itself, a transaction that may write stays on the engine that validates its reads. */
    private static boolean accepts(Block open, boolean required) {
        if (!required && open.kind() == Block.Kind.EXPLICIT) {
            return open.transaction().readOnly();
        }
        boolean accepted = !open.transaction().hasWrites();
        if (!accepted && required) {
            throw new SqlException(
                    SqlState.ACTIVE_TRANSACTION,
                    "the analytics engine does not read in a transaction that has written",
                    "COMMIT first, or SET petrichor.engine = 'transactions'.",
                    0,
                    null);
        }
        return accepted;
    }

    private static boolean locks(StatementText statement) {
        List<String> words = statement.words();
        int at = words.lastIndexOf("FOR");
        return at >= 0
                && at + 1 < words.size()
                && List.of("UPDATE", "SHARE", "NO", "KEY").contains(words.get(at + 1));
    }

    private AnalyticsEngine.Query request(
            Block open, StatementText statement, List<@Nullable Object> parameters) {
        return new AnalyticsEngine.Query(
                database.store().database(),
                open.transaction().version(),
                open.image(),
                statement.analytic(),
                statement.words(),
                Collections.unmodifiableList(parameters),
                new AnalyticsEngine.Settings(
                        settings.zone(), settings.searchPath(), settings.statementTimeout()));
    }

    /** From any thread. */
    void cancel() {
        AnalyticsEngine.Execution execution = running;
        if (execution != null) {
            execution.cancel();
        }
    }
}
