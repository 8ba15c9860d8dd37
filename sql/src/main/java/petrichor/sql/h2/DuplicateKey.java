package petrichor.sql.h2;

import java.util.List;
import org.h2.api.ErrorCode;
import org.h2.message.DbException;
import org.jspecify.annotations.Nullable;
import petrichor.tables.StoredIndex;
import petrichor.tables.StoredTable;

/** Names a unique constraint and the values of a row that violates it. */
final class DuplicateKey {
    private DuplicateKey() {}

    /**
     * @param index null for the primary key
     * @param values of the row
     */
    static DbException of(
            StoredTable table, @Nullable StoredIndex index, @Nullable Object[] values) {
        List<StoredIndex.Part> parts = index == null ? table.primaryKey() : index.parts();
        StringBuilder names = new StringBuilder();
        StringBuilder duplicated = new StringBuilder();
        for (StoredIndex.Part part : parts) {
            int position = table.position(part.column());
            String separator = names.isEmpty() ? "" : ", ";
            names.append(separator).append(table.columns().get(position).name());
            duplicated.append(separator).append(values[position]);
        }
        return DbException.get(
                ErrorCode.DUPLICATE_KEY_1,
                (index == null ? table.name() + "_pkey" : index.name())
                        + "\": ("
                        + names
                        + ")=("
                        + duplicated
                        + ")");
    }
}
