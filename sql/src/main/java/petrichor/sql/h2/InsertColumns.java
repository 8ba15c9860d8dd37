package petrichor.sql.h2;

import java.util.ArrayList;
import java.util.List;
import org.h2.api.ErrorCode;
import org.h2.command.Command;
import org.h2.command.Prepared;
import org.h2.command.query.Query;
import org.h2.engine.SessionLocal;
import org.h2.message.DbException;
import org.h2.table.Column;
import org.h2.table.Table;
import org.jspecify.annotations.Nullable;
import petrichor.sql.SqlText;

/**
 * An INSERT without a list of columns whose rows have fewer values than the table has columns: the
 * others have their defaults. H2 requires the list.
 */
final class InsertColumns {
    /** A word or a character of the text. */
    private record Token(String text, int from, int to) {
        boolean is(String word) {
            return text.equalsIgnoreCase(word);
        }
    }

    private InsertColumns() {}

    static Command prepared(SessionLocal session, String text) {
        // Of a change inside a query, H2 counts the columns when it is executed.
        boolean returns = text.contains(" FINAL TABLE (");
        String known = returns ? listed(session, text) : null;
        try {
            return session.prepareLocal(known == null ? text : known);
        } catch (DbException failed) {
            boolean fewer = failed.getErrorCode() == ErrorCode.COLUMN_COUNT_DOES_NOT_MATCH;
            String listed = fewer ? listed(session, text) : null;
            if (listed == null) {
                throw failed;
            }
            return session.prepareLocal(listed);
        }
    }

    /** The text with a list of columns; null if it is not such an INSERT. */
    static @Nullable String listed(SessionLocal session, String text) {
        List<Token> tokens = tokens(text);
        for (int i = 0; i + 3 < tokens.size(); i++) {
            if (tokens.get(i).is("INSERT") && tokens.get(i + 1).is("INTO")) {
                return listed(session, text, tokens, i + 2);
            }
        }
        return null;
    }

    private static @Nullable String listed(
            SessionLocal session, String text, List<Token> tokens, int name) {
        int end = name + 1;
        while (end + 1 < tokens.size() && tokens.get(end).is(".")) {
            end += 2;
        }
        if (end >= tokens.size()) {
            return null;
        }
        boolean query =
                tokens.get(end).is("SELECT")
                        || tokens.get(end).is("WITH")
                        || tokens.get(end).is("TABLE");
        if (!query && !tokens.get(end).is("VALUES")) {
            return null;
        }
        String written = text.substring(tokens.get(name).from(), tokens.get(end - 1).to());
        int count =
                tokens.get(end).is("VALUES")
                        ? values(tokens, end + 1)
                        : columns(session, text.substring(tokens.get(end).from()));
        try {
            Table table = NamedTables.find(session, SqlText.names(written));
            Column[] columns = table.getVisibleColumns();
            if (count <= 0 || count >= columns.length) {
                return null;
            }
            StringBuilder list = new StringBuilder(" (");
            for (int i = 0; i < count; i++) {
                list.append(i == 0 ? "" : ", ");
                columns[i].getSQL(list, 0);
            }
            int at = tokens.get(end - 1).to();
            return text.substring(0, at) + list.append(')') + text.substring(at);
        } catch (DbException unknown) {
            return null;
        }
    }

    /** The number of values of the row that starts at a token; 0 if none does. */
    private static int values(List<Token> tokens, int open) {
        int depth = 0;
        int commas = 0;
        for (int i = open; i < tokens.size(); i++) {
            String token = tokens.get(i).text();
            depth +=
                    switch (token) {
                        case "(", "[" -> 1;
                        case ")", "]" -> -1;
                        default -> 0;
                    };
            commas += depth == 1 && token.equals(",") ? 1 : 0;
            if (depth == 0) {
                return i > open ? commas + 1 : 0;
            }
        }
        return 0;
    }

    private static int columns(SessionLocal session, String query) {
        try {
            Prepared prepared = session.prepare(query);
            return prepared instanceof Query rows ? rows.getColumnCount() : 0;
        } catch (DbException other) {
            return 0;
        }
    }

    private static List<Token> tokens(String text) {
        List<Token> tokens = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            int end = SqlText.tokenEnd(text, at);
            String token = text.substring(at, end);
            boolean blank = token.isBlank() || token.startsWith("--") || token.startsWith("/*");
            if (!blank) {
                tokens.add(new Token(token, at, end));
            }
            at = end;
        }
        return tokens;
    }
}
