package petrichor.analytics.worker;

import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.tables.StoredColumn;
import petrichor.tables.StoredTable;

/**
 * The schemas and tables of one query, as views of segments in a catalog of its own. The views that
 * only describe a query have no rows.
 */
final class QueryViews implements AutoCloseable {
    private static final AtomicLong NEXT = new AtomicLong();

    private final WorkerSession session;
    private final Segments segments;
    private final String catalog;

    private QueryViews(WorkerSession session, Segments segments, String catalog) {
        this.session = session;
        this.segments = segments;
        this.catalog = catalog;
    }

    static QueryViews create(WorkerSession session, Segments segments, Command.Query query)
            throws SQLException {
        String catalog = "query" + NEXT.incrementAndGet();
        QueryViews views = new QueryViews(session, segments, catalog);
        boolean created = false;
        session.update("ATTACH ':memory:' AS " + catalog);
        try {
            views.fill(query);
            created = true;
            return views;
        } finally {
            if (!created) {
                views.close();
            }
        }
    }

    private void fill(Command.Query query) throws SQLException {
        Set<String> schemas = new LinkedHashSet<>(query.searchPath());
        query.tables().forEach(table -> schemas.add(table.schema()));
        for (String schema : schemas) {
            session.update(
                    "CREATE SCHEMA IF NOT EXISTS " + catalog + "." + Segments.quoted(schema));
        }
        for (int i = 0; i < query.tables().size(); i++) {
            StoredTable table = query.tables().get(i);
            String segment = query.describe() ? "" : query.segments().get(i);
            session.update(view(table, segment));
        }
        StringBuilder path = new StringBuilder();
        for (String schema : query.searchPath()) {
            path.append(path.isEmpty() ? "" : ",").append(catalog).append('.');
            path.append(Segments.quoted(schema));
        }
        if (!path.isEmpty()) {
            session.update("SET search_path='" + literal(path.toString()) + "'");
        }
        session.update("SET TimeZone='" + literal(query.zone()) + "'");
        for (String view : query.views()) {
            session.update(view);
        }
    }

    private String view(StoredTable table, String segment) {
        StringBuilder columns = new StringBuilder();
        List<StoredColumn> stored = table.columns();
        for (int i = 0; i < stored.size(); i++) {
            StoredColumn column = stored.get(i);
            String type = ColumnTransfer.of(column.type()).sql();
            columns.append(columns.isEmpty() ? "" : ", ");
            columns.append(segment.isEmpty() ? "CAST(NULL AS " + type + ")" : "c" + i);
            columns.append(" AS ").append(Segments.quoted(column.name()));
        }
        String from = segment.isEmpty() ? " WHERE false" : " FROM " + segments.name(segment);
        return "CREATE VIEW "
                + catalog
                + "."
                + Segments.quoted(table.schema())
                + "."
                + Segments.quoted(table.name())
                + " AS SELECT "
                + columns
                + from;
    }

    private static String literal(String text) {
        return text.replace("'", "''");
    }

    @Override
    public void close() {
        session.canceledIsOver(
                () -> {
                    session.update("RESET search_path");
                    session.update("DETACH " + catalog);
                });
    }
}
