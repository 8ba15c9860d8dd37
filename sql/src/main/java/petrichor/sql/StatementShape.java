package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.sql.catalog.CatalogQuery;

/**
 * What the text of a statement says beyond its kind.
 *
 * @param catalog the query of system catalogs that it is; null if it is none
 * @param names of its result columns
 */
record StatementShape(@Nullable CatalogQuery catalog, ColumnNames names) {
    static final StatementShape NONE = new StatementShape(null, ColumnNames.NONE);

    /** Of a query. */
    static StatementShape of(String text, List<String> words) {
        CatalogQuery catalog = CatalogQuery.reads(words) ? CatalogQuery.of(text) : null;
        return new StatementShape(catalog, ColumnNames.of(words, "SELECT"));
    }

    /** Of a change that returns rows. */
    static StatementShape returning(List<String> words) {
        return new StatementShape(null, ColumnNames.of(words, "RETURNING"));
    }

    List<ResultColumn> named(List<ResultColumn> columns) {
        List<ResultColumn> named = new ArrayList<>(columns.size());
        for (int i = 0; i < columns.size(); i++) {
            ResultColumn column = columns.get(i);
            String name = names.name(i, columns.size());
            named.add(name == null ? column : new ResultColumn(name, column.type()));
        }
        return named;
    }
}
