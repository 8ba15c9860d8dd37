package petrichor.tables;

import org.jspecify.annotations.Nullable;

/**
 * A column as rows store it. Rows name columns by id, so that columns can be added, renamed and
 * dropped without a change of the rows.
 *
 * @param id within the table; never reused
 * @param missing the value in rows that were written before the column was added
 */
public record StoredColumn(
        int id, String name, ColumnType type, boolean nullable, @Nullable Object missing) {}
