package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Short forms for tests. */
final class Sessions {
    private Sessions() {}

    /** Rows as text: values separated by {@code |}, rows by a space; or the count; or the tag. */
    static String run(SqlSession session, String text, @Nullable Object... parameters) {
        return switch (session.execute(text, parameters)) {
            case StatementResult.Rows rows -> shown(rows);
            case StatementResult.Count count -> Long.toString(count.rows());
            case StatementResult.Done done -> done.tag();
            case StatementResult.Deallocated gone -> gone.tag();
            case StatementResult.Empty _ -> "";
        };
    }

    static String shown(StatementResult.Rows result) {
        List<String> lines = new ArrayList<>();
        try (RowIterator rows = result.rows()) {
            while (rows.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 0; i < result.columns().size(); i++) {
                    values.add(String.valueOf(rows.value(i)));
                }
                lines.add(String.join("|", values));
            }
        }
        return lines.stream().collect(Collectors.joining(" "));
    }

    /** The SQLSTATE with which a statement fails; empty if it does not. */
    static String failure(SqlSession session, String text, @Nullable Object... parameters) {
        try {
            run(session, text, parameters);
            return "";
        } catch (SqlException failed) {
            return failed.state();
        }
    }
}
