package petrichor.sql;

import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
    private volatile AnalyticsEngine.@Nullable FileRows exporting;

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

    /**
     * The rows of a query as a file, whichever engine the session prefers.
     *
     * @param open null for a transaction that ends with the file
     */
    ExportedRows export(@Nullable Block open, StatementText statement) {
        if (open != null) {
            open.requireNoReadTime(statement);
            return export(open, statement, null);
        }
        String at = statement.readTime();
        long version = at == null ? 0 : ReadTime.parse(at);
        Block own =
                new Block(
                        database.store(), database.catalogs(), Block.Kind.STATEMENT, true, version);
        boolean returned = false;
        try {
            ExportedRows rows = export(own, statement, own);
            returned = true;
            return rows;
        } finally {
            if (!returned) {
                own.close();
            }
        }
    }

    private ExportedRows export(Block open, StatementText statement, @Nullable Block own) {
        AnalyticsEngine known = engine;
        if (known == null) {
            throw notExported(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "this server has no analytics engine",
                    "Set sql.analytics-memory, or use another format.");
        }
        if (statement.kind() != StatementText.Kind.QUERY
                || statement.explain() != null
                || statement.shape().catalog() != null) {
            throw notExported(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "queries only, which do not lock rows, and not of the system catalogs",
                    "Use another format.");
        }
        if (open.transaction().hasWrites()) {
            throw notExported(
                    SqlState.ACTIVE_TRANSACTION,
                    "the transaction has written",
                    "COMMIT first, or use another format.");
        }
        open.unvalidated();
        AnalyticsEngine.FileRows file = known.export(request(open, statement, List.of()));
        exporting = file;
        return new ExportedRows(file, open, () -> exporting = null, own);
    }

    private static SqlException notExported(String state, String reason, String hint) {
        return new SqlException(state, "COPY in the format parquet: " + reason, hint, 0, null);
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
        AnalyticsEngine.FileRows file = exporting;
        if (file != null) {
            file.cancel();
        }
    }
}
