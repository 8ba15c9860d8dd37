package petrichor.cli.sql;

import java.sql.SQLException;
import java.util.Optional;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * An error of the server, with the place in the statement.
 *
 * @param position of the character in the statement, from 1; 0 if unknown
 */
public record SqlFailure(
        String sqlState, String text, String detail, String hint, int position, String statement) {
    private static final int LINE_CHARS_MAX = 120;

    static SqlFailure of(SQLException failure, String statement) {
        String state = Optional.ofNullable(failure.getSQLState()).orElse("XX000");
        if (failure instanceof PSQLException known) {
            ServerErrorMessage message = known.getServerErrorMessage();
            if (message != null) {
                return new SqlFailure(
                        state,
                        orEmpty(message.getMessage()),
                        orEmpty(message.getDetail()),
                        orEmpty(message.getHint()),
                        message.getPosition(),
                        statement);
            }
        }
        return new SqlFailure(state, orEmpty(failure.getMessage()), "", "", 0, statement);
    }

    private static String orEmpty(@org.jspecify.annotations.Nullable String text) {
        return text == null ? "" : text;
    }

    /** Whether the connection is lost. */
    boolean endsConnection() {
        return sqlState.startsWith("08") || sqlState.equals("57P01") || sqlState.equals("57P02");
    }

    /** As psql prints it: the error, its line with a caret below the place, and the hint. */
    String report() {
        StringBuilder report = new StringBuilder("ERROR " + sqlState + ": " + text);
        if (position > 0 && position <= statement.length() + 1) {
            int at = statement.offsetByCodePoints(0, Math.min(position, codePoints()) - 1);
            int from = statement.lastIndexOf('\n', at - 1) + 1;
            int to = statement.indexOf('\n', at);
            to = to < 0 ? statement.length() : to;
            // Long lines are cut around the place.
            int start = Math.max(from, Math.min(at - LINE_CHARS_MAX / 2, to - LINE_CHARS_MAX));
            int end = Math.min(to, start + LINE_CHARS_MAX);
            long number = 1 + statement.substring(0, at).chars().filter(c -> c == '\n').count();
            String label = "LINE " + number + ": " + (start > from ? "…" : "");
            report.append('\n')
                    .append(label)
                    .append(statement.substring(start, end).replace('\t', ' '))
                    .append(end < to ? "…" : "")
                    .append('\n')
                    .append(" ".repeat(label.length() + CellText.width(statement, start, at)))
                    .append('^');
        }
        if (!detail.isEmpty()) {
            report.append("\nDETAIL: ").append(detail);
        }
        if (!hint.isEmpty()) {
            report.append("\nHINT: ").append(hint);
        }
        return report.toString();
    }

    private int codePoints() {
        return Math.max(1, statement.codePointCount(0, statement.length()));
    }
}
