package petrichor.cli.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes results in one format while their rows arrive: it keeps at most the rows that it needs for
 * column widths. Confined to one thread.
 */
public interface ResultWriter {
    /** Formats of results. */
    enum Format {
        TABLE,
        CSV,
        /** One document: an array with an object per statement. */
        JSON,
        /** One object per row and line. */
        JSONL
    }

    /**
     * A column of a result.
     *
     * @param type one of {@link java.sql.Types}
     */
    record Column(String name, int type, String typeName) {
        boolean isNumber() {
            return switch (type) {
                case java.sql.Types.SMALLINT,
                        java.sql.Types.INTEGER,
                        java.sql.Types.BIGINT,
                        java.sql.Types.NUMERIC,
                        java.sql.Types.REAL,
                        java.sql.Types.DOUBLE ->
                        true;
                default -> false;
            };
        }
    }

    void begin(List<Column> columns);

    /** Cells in the order of the columns, null for NULL. */
    void row(List<@Nullable String> cells);

    /** Ends the rows of a statement. */
    void end(long rows);

    /** A statement without rows, such as {@code UPDATE 3}. */
    void done(String tag);

    /** A failed statement, which is also reported to standard error. */
    default void failed(SqlFailure failure) {}

    /** Ends the output. The stream stays open. */
    default void close() {}
}
