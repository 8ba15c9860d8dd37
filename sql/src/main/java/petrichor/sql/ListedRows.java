package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows in memory. */
final class ListedRows implements RowIterator {
    private final List<List<@Nullable Object>> rows;
    private int at = -1;

    ListedRows(List<List<@Nullable Object>> rows) {
        this.rows = rows;
    }

    /** Reads and closes the rows of another iterator. */
    static ListedRows of(RowIterator rows, int columns) {
        try (rows) {
            List<List<@Nullable Object>> list = new ArrayList<>();
            while (rows.next()) {
                List<@Nullable Object> row = new ArrayList<>(columns);
                for (int i = 0; i < columns; i++) {
                    row.add(rows.value(i));
                }
                list.add(row);
            }
            return new ListedRows(list);
        }
    }

    @Override
    public boolean next() {
        if (at + 1 >= rows.size()) {
            return false;
        }
        at++;
        return true;
    }

    @Override
    public @Nullable Object value(int column) {
        return rows.get(at).get(column);
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
