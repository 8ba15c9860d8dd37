package petrichor.frontends.postgres;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import petrichor.sql.SqlException;
import petrichor.sql.SqlSession;
import petrichor.sql.SqlStatement;
import petrichor.tables.ColumnType;

/** Inserts the rows of COPY, several by one statement. */
final class CopyInserts {
    /** Rows that are inserted by one statement. */
    private static final int BATCH_ROWS = 100;

    private final SqlSession session;
    private final String into;
    private final List<ColumnType> types;
    private final List<@Nullable Object> waiting = new ArrayList<>();
    private int rows;
    private long count;

    CopyInserts(SqlSession session, String table, List<String> columns, List<ColumnType> types) {
        this.session = session;
        this.types = types;
        this.into =
                "INSERT INTO "
                        + table
                        + columns.stream()
                                .map(name -> '"' + name.replace("\"", "\"\"") + '"')
                                .collect(Collectors.joining(", ", " (", ") VALUES "));
    }

    /** Number of rows that have been inserted. */
    long count() {
        return count;
    }

    /** 22P04 if the next row has another number of values than columns. */
    void requireWidth(int values) {
        if (values != types.size()) {
            throw new SqlException(
                    "22P04",
                    "row "
                            + (count + rows + 1)
                            + " of COPY has "
                            + values
                            + " values for "
                            + types.size()
                            + " columns");
        }
    }

    void add(List<@Nullable Object> values) {
        waiting.addAll(values);
        rows++;
        if (rows == BATCH_ROWS) {
            flush();
        }
    }

    void flush() {
        if (rows == 0) {
            return;
        }
        int width = types.size();
        String text =
                into
                        + IntStream.range(0, rows)
                                .mapToObj(row -> placeholders(row * width, width))
                                .collect(Collectors.joining(", "));
        try (SqlStatement insert =
                session.prepare(
                        text,
                        IntStream.range(0, rows * width)
                                .mapToObj(i -> types.get(i % width))
                                .toList())) {
            insert.execute(Collections.unmodifiableList(new ArrayList<>(waiting)));
        }
        count += rows;
        waiting.clear();
        rows = 0;
    }

    private static String placeholders(int from, int count) {
        return IntStream.rangeClosed(from + 1, from + count)
                .mapToObj(number -> "$" + number)
                .collect(Collectors.joining(", ", "(", ")"));
    }
}
