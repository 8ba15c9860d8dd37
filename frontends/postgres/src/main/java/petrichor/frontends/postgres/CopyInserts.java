package petrichor.frontends.postgres;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.sql.SqlException;
import petrichor.sql.TableLoad;
import petrichor.tables.ColumnType;

/** Passes the rows of COPY on to the table. */
final class CopyInserts {
    private final TableLoad load;
    private final List<ColumnType> types;

    CopyInserts(TableLoad load, List<ColumnType> types) {
        this.load = load;
        this.types = types;
    }

    /** 22P04 if the next row has another number of values than columns. */
    void requireWidth(int values) {
        if (values != types.size()) {
            throw new SqlException(
                    "22P04",
                    "row "
                            + (load.count() + 1)
                            + " of COPY has "
                            + values
                            + " values for "
                            + types.size()
                            + " columns");
        }
    }

    /**
     * @param bytes of the row as the client sent it
     */
    void add(List<@Nullable Object> values, int bytes) {
        load.add(values, bytes);
    }
}
