package petrichor.sql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.sql.h2.H2Session;

/**
 * The cursors of a session: DECLARE, FETCH forward, CLOSE. A cursor ends with its transaction; the
 * rows of one WITH HOLD are read when it is declared, and kept. Confined to the session's thread.
 */
final class Cursors {
    private static final int CURSORS_MAX = 1_000;

    /** Rows of a cursor WITH HOLD. */
    private static final int HELD_ROWS_MAX = 100_000;

    private record Cursor(List<ResultColumn> columns, RowIterator rows, boolean held) {}

    private final SqlSession session;
    private final Map<String, Cursor> cursors = new HashMap<>();

    Cursors(SqlSession session) {
        this.session = session;
    }

    StatementResult execute(StatementText statement, List<@Nullable Object> parameters) {
        return switch (statement.words().getFirst()) {
            case "DECLARE" -> declare(statement, parameters);
            case "FETCH" -> fetch(statement.words());
            default -> close(statement.words());
        };
    }

    private StatementResult declare(StatementText statement, List<@Nullable Object> parameters) {
        List<String> words = statement.words();
        String text = query(statement);
        List<String> options = words.subList(2, words.indexOf("FOR"));
        boolean held = options.contains("HOLD") && !options.contains("WITHOUT");
        if (options.contains("SCROLL") && !options.contains("NO")) {
            throw unsupported("SCROLL");
        }
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
            RowIterator kept = held ? held(rows, columns.size()) : rows;
            cursors.put(name, new Cursor(columns, kept, held));
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
        return statement.text().substring(SqlToken.of(statement.text()).get(query).from());
    }

    private static RowIterator held(RowIterator rows, int columns) {
        try (rows) {
            List<List<@Nullable Object>> kept = next(rows, columns, HELD_ROWS_MAX);
            if (rows.next()) {
                throw new SqlException(
                        SqlState.PROGRAM_LIMIT_EXCEEDED,
                        "a cursor WITH HOLD has at most "
                                + HELD_ROWS_MAX
                                + " rows; use one in a transaction");
            }
            return new ListedRows(kept);
        }
    }

    private static List<List<@Nullable Object>> next(RowIterator rows, int columns, long most) {
        List<List<@Nullable Object>> list = new ArrayList<>();
        while (list.size() < most && rows.next()) {
            List<@Nullable Object> row = new ArrayList<>(columns);
            for (int i = 0; i < columns; i++) {
                row.add(rows.value(i));
            }
            list.add(row);
        }
        return list;
    }

    private StatementResult fetch(List<String> words) {
        Cursor cursor = cursor(words);
        long most = 1;
        for (String word : words.subList(1, words.size() - 1)) {
            switch (word) {
                case "NEXT", "FORWARD", "FROM", "IN" -> {
                    // One row, unless a number follows.
                }
                case "ALL" -> most = Long.MAX_VALUE;
                default -> {
                    if (!word.matches("[0-9]{1,9}")) {
                        throw unsupported("FETCH " + word);
                    }
                    most = Long.parseLong(word);
                }
            }
        }
        List<List<@Nullable Object>> rows = next(cursor.rows(), cursor.columns().size(), most);
        return new StatementResult.Rows("FETCH", cursor.columns(), new ListedRows(rows));
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

    private static SqlException unsupported(String what) {
        return new SqlException(
                SqlState.FEATURE_NOT_SUPPORTED, what + " of a cursor: not supported");
    }
}
