package petrichor.cli.sql;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of a file, in its order. Confined to one thread. */
public interface ImportedRows extends AutoCloseable {
    /** A row or a line that is none. */
    sealed interface Row {
        /** Line, or number of the row in a Parquet file, from 1. */
        long line();
    }

    /**
     * Values as PostgreSQL reads them; null for NULL.
     *
     * @param source the text, for the file of rejected rows
     */
    record Values(long line, List<@Nullable String> cells, String source) implements Row {}

    record Unreadable(long line, String reason, String source) implements Row {}

    /** The names of the columns; of JSON lines, those of the rows that have been read. */
    List<String> columns();

    /** The next row; null at the end. */
    @Nullable Row next() throws IOException;

    @Override
    void close();
}
