package petrichor.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.sql.catalog.CatalogQuery;
import petrichor.sql.catalog.SessionView;
import petrichor.sql.catalog.SystemCatalog;
import petrichor.sql.h2.CatalogDatabase;
import petrichor.sql.h2.H2Session;

/**
 * A session's queries that H2 does not execute on tables: those of system catalogs and of the
 * analytics engine. Confined to the session's thread, except {@link #cancel}.
 */
final class CatalogReads implements SessionView {
    private final SqlSession session;
    private final SessionSettings settings;
    private final String database;
    private final AnalyticsReads analytics;

    CatalogReads(SqlSession session, SessionSettings settings, SqlDatabase database) {
        this.session = session;
        this.settings = settings;
        this.database = database.name();
        this.analytics = new AnalyticsReads(database, settings);
    }

    /** Null if the statement is for H2. */
    @Nullable StatementResult query(
            Block open, StatementText statement, List<@Nullable Object> parameters) {
        CatalogQuery query = catalogQuery(statement);
        if (query == null) {
            return analytics.query(open, statement, parameters);
        }
        try {
            CatalogDatabase.Found found =
                    SystemCatalog.of(open.catalog()).query(this, query, parameters);
            return statement.named(
                    new StatementResult.Rows(
                            statement.tag(), found.columns(), new ListedRows(found.rows())));
        } catch (SqlException failed) {
            refuseUnlessUnknown(failed);
            return null;
        }
    }

    /** Null if H2 knows it. */
    H2Session.@Nullable Description describe(Block open, StatementText statement) {
        CatalogQuery query = catalogQuery(statement);
        if (query == null) {
            boolean parameters = statement.words().stream().anyMatch(word -> word.startsWith("$"));
            List<ResultColumn> columns = parameters ? null : analytics.columns(open, statement);
            return columns == null ? null : new H2Session.Description(List.of(), columns);
        }
        try {
            return statement.named(SystemCatalog.of(open.catalog()).describe(this, query));
        } catch (SqlException failed) {
            refuseUnlessUnknown(failed);
            return null;
        }
    }

    /** A description by H2, with the columns of the engine that executes the statement. */
    H2Session.Description described(
            Block open, StatementText statement, H2Session.Description description) {
        List<ResultColumn> columns = analytics.columns(open, statement);
        return columns == null
                ? description
                : new H2Session.Description(description.parameters(), columns);
    }

    /** Null also for EXPLAIN. */
    private static @Nullable CatalogQuery catalogQuery(StatementText statement) {
        return statement.explain() == null ? statement.shape().catalog() : null;
    }

    /**
     * The rows of a query as a file.
     *
     * @param open null outside of transaction blocks
     */
    ExportedRows export(@Nullable Block open, StatementText statement) {
        return analytics.export(open, statement);
    }

    /** From any thread. */
    void cancel() {
        analytics.cancel();
    }

    /** A statement that calls a function of ours may be one over tables after all. */
    private static void refuseUnlessUnknown(SqlException failed) {
        boolean unknown =
                failed.state().equals(SqlState.UNDEFINED_TABLE)
                        || failed.state().equals(SqlState.UNDEFINED_FUNCTION);
        if (!unknown) {
            throw failed;
        }
    }

    @Override
    public String user() {
        String name = settings.get("session_authorization");
        return name == null ? "" : name;
    }

    @Override
    public String database() {
        return database;
    }

    @Override
    public List<String> searchPath() {
        return settings.searchPath();
    }

    @Override
    public @Nullable String setting(String name) {
        return settings.get(name);
    }

    @Override
    public void set(String name, String value, boolean onlyTransaction) {
        settings.set(name, value, onlyTransaction && session.block() != null);
        session.closeIdle();
    }
}
