package petrichor.sql;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.sql.h2.H2Session;

/**
 * The cursors of a session: DECLARE, FETCH, MOVE, CLOSE. A cursor ends with its transaction; the
 * rows of one WITH HOLD are read when it is declared, and kept. Confined to the session's thread.
 */
final class Cursors {
    private static final int CURSORS_MAX = 1_000;

    private record Cursor(List<ResultColumn> columns, CursorRows rows, boolean held) {}

    private final SqlSession session;
    private final Map<String, Cursor> cursors = new HashMap<>();

    Cursors(SqlSession session) {
        this.session = session;
    }

    StatementResult execute(StatementText statement, List<@Nullable Object> parameters) {
        return switch (statement.words().getFirst()) {
            case "DECLARE" -> declare(statement, parameters);
            case "FETCH" -> fetch(statement.words());
            case "MOVE" -> move(statement.words());
            default -> close(statement.words());
        };
    }

    private StatementResult declare(StatementText statement, List<@Nullable Object> parameters) {
        List<String> words = statement.words();
        String text = query(statement);
        List<String> options = words.subList(2, words.indexOf("FOR"));
        boolean held = options.contains("HOLD") && !options.contains("WITHOUT");
        if (session.block() == null && !held) {
            throw new SqlException(
                    SqlState.NO_ACTIVE_TRANSACTION,
                    "DECLARE CURSOR can only be used in transaction blocks");
        }
        String name = SqlText.names(words.get(1)).getFirst();
        if (cursors.containsKey(name)) {
            throw new SqlException("42P03", "cursor \"" + name + "\" already exists");
        }
        if (cursors.size() >= CURSORS_MAX) {
            throw new SqlException("53400", "the session has too many cursors; close some");
        }
        if (session.execute(text, parameters)
                instanceof StatementResult.Rows(_, List<ResultColumn> columns, RowIterator rows)) {
            CursorRows read = new CursorRows(rows, columns.size(), scroll(options, held));
            if (held) {
                read.readAll();
            }
            cursors.put(name, new Cursor(columns, read, held));
            return new StatementResult.Done("DECLARE CURSOR");
        }
        throw new SqlException(SqlState.SYNTAX_ERROR, "DECLARE needs CURSOR FOR a query");
    }

    /** The text of the query. */
    private static String query(StatementText statement) {
        List<String> words = statement.words();
        int query = words.indexOf("FOR") + 1;
        if (query < 3 || query >= words.size() || !words.subList(0, query).contains("CURSOR")) {
            throw new SqlException(SqlState.SYNTAX_ERROR, "DECLARE needs CURSOR FOR a query");
        }
        // What precedes the query is not rewritten.
        return statement.client().substring(SqlToken.of(statement.client()).get(query).from());
    }

    private static CursorRows.Scroll scroll(List<String> options, boolean held) {
        int scroll = options.indexOf("SCROLL");
        if (scroll > 0 && options.get(scroll - 1).equals("NO")) {
            return held ? CursorRows.Scroll.POSSIBLE : CursorRows.Scroll.NONE;
        }
        return scroll >= 0 ? CursorRows.Scroll.REQUIRED : CursorRows.Scroll.POSSIBLE;
    }

    private StatementResult fetch(List<String> words) {
        Cursor cursor = cursor(words);
        return new StatementResult.Rows(
                "FETCH", cursor.columns(), new ListedRows(moved(cursor.rows(), words)));
    }

    private StatementResult move(List<String> words) {
        return new StatementResult.Count("MOVE", moved(cursor(words).rows(), words).size());
    }

    /** The rows that a direction and a count select. */
    private static List<List<@Nullable Object>> moved(CursorRows rows, List<String> words) {
        String direction = "FORWARD";
        String next = "";
        Long count = null;
        boolean negative = false;
        for (String word : words.subList(1, words.size() - 1)) {
            switch (word) {
                case "FROM", "IN", "+" -> {
                    // Say nothing more.
                }
                case "-" -> negative = true;
                case "ALL" -> count = Long.MAX_VALUE;
                case "NEXT",
                        "PRIOR",
                        "FIRST",
                        "LAST",
                        "ABSOLUTE",
                        "RELATIVE",
                        "FORWARD",
                        "BACKWARD" ->
                        direction = word;
                default -> next = word;
            }
        }
        if (!next.isEmpty()) {
            if (!next.matches("[0-9]{1,9}")) {
                throw new SqlException(
                        SqlState.SYNTAX_ERROR, "syntax error at or near \"" + next + "\"");
            }
            count = Long.parseLong(next) * (negative ? -1 : 1);
        }
        long number = count == null ? 1 : count;
        return switch (direction) {
            case "PRIOR" -> rows.backward(1);
            case "FIRST" -> rows.absolute(1);
            case "LAST" -> rows.absolute(-1);
            case "ABSOLUTE" -> rows.absolute(number);
            case "RELATIVE" -> rows.relative(number);
            case "BACKWARD" -> number < 0 ? rows.forward(-number) : rows.backward(number);
            default -> number < 0 ? rows.backward(-number) : rows.forward(number);
        };
    }

    private Cursor cursor(List<String> words) {
        String name = words.size() < 2 ? "" : SqlText.names(words.getLast()).getFirst();
        Cursor found = cursors.get(name);
        if (found == null) {
            throw new SqlException(
                    SqlState.INVALID_CURSOR, "cursor \"" + name + "\" does not exist");
        }
        return found;
    }

    private StatementResult close(List<String> words) {
        if (words.getLast().equals("ALL")) {
            cursors.values().forEach(cursor -> cursor.rows().close());
            cursors.clear();
        } else {
            Cursor closed = cursor(words);
            closed.rows().close();
            cursors.values().remove(closed);
        }
        return new StatementResult.Done("CLOSE CURSOR");
    }

    /** Parameters of DECLARE, and columns of FETCH. */
    H2Session.Description describe(StatementText statement) {
        return switch (statement.words().getFirst()) {
            case "DECLARE" ->
                    new H2Session.Description(
                            session.prepare(query(statement), List.of()).parameterTypes(),
                            List.of());
            case "FETCH" ->
                    new H2Session.Description(List.of(), cursor(statement.words()).columns());
            default -> new H2Session.Description(List.of(), List.of());
        };
    }

    /** Null if there is no such cursor. */
    @Nullable List<ResultColumn> columns(String name) {
        Cursor found = cursors.get(name);
        return found == null ? null : found.columns();
    }

    void transactionEnded() {
        cursors.values().removeIf(cursor -> !cursor.held());
    }
}
