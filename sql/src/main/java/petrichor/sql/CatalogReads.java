package petrichor.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.sql.catalog.CatalogQuery;
import petrichor.sql.catalog.SessionView;
import petrichor.sql.catalog.SystemCatalog;
import petrichor.sql.h2.CatalogDatabase;
import petrichor.sql.h2.H2Session;

/** A session's queries of system catalogs. Confined to the session's thread. */
final class CatalogReads implements SessionView {
    private final SqlSession session;
    private final SessionSettings settings;
    private final String database;

    CatalogReads(SqlSession session, SessionSettings settings, String database) {
        this.session = session;
        this.settings = settings;
        this.database = database;
    }

    /** Null if the statement is not one over system catalogs. */
    @Nullable StatementResult query(
            Block open, StatementText statement, List<@Nullable Object> parameters) {
        CatalogQuery query = statement.shape().catalog();
        if (query == null) {
            return null;
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

    /** Null if the statement is not one over system catalogs. */
    H2Session.@Nullable Description describe(Block open, StatementText statement) {
        CatalogQuery query = statement.shape().catalog();
        if (query == null) {
            return null;
        }
        try {
            return statement.named(SystemCatalog.of(open.catalog()).describe(this, query));
        } catch (SqlException failed) {
            refuseUnlessUnknown(failed);
            return null;
        }
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
