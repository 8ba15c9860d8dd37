package petrichor.tables;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table as rows store it.
 *
 * @param id within the database; never reused
 * @param primaryKey ids of the columns that form the key of a row, ascending; if empty, rows are
 *     keyed by a number in the order of insertion
 * @param nextColumn id of the next column to be added
 */
public record StoredTable(
        int id,
        String schema,
        String name,
        List<StoredColumn> columns,
        List<StoredIndex.Part> primaryKey,
        List<StoredIndex> indexes,
        int nextColumn) {

    public StoredTable {
        columns = List.copyOf(columns);
        primaryKey = List.copyOf(primaryKey);
        indexes = List.copyOf(indexes);
    }

    /** Position of the column with this id; -1 if there is none. */
    public int position(int columnId) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).id() == columnId) {
                return i;
            }
        }
        return -1;
    }

    public boolean hasRowNumbers() {
        return primaryKey.isEmpty();
    }

    public @Nullable StoredIndex index(int indexId) {
        for (StoredIndex index : indexes) {
            if (index.id() == indexId) {
                return index;
            }
        }
        return null;
    }

    /** The table with the state of one index changed. */
    public StoredTable withIndexState(int indexId, StoredIndex.State state) {
        List<StoredIndex> changed = new ArrayList<>(indexes.size());
        for (StoredIndex index : indexes) {
            changed.add(index.id() == indexId ? index.in(state) : index);
        }
        return new StoredTable(id, schema, name, columns, primaryKey, changed, nextColumn);
    }
}
