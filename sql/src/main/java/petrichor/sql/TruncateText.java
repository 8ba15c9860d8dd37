package petrichor.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * A TRUNCATE statement. Immutable.
 *
 * @param tables each with or without its schema
 * @param cascade whether tables that refer to these are truncated, too
 */
public record TruncateText(List<List<String>> tables, boolean cascade) {
    public TruncateText {
        tables = List.copyOf(tables);
    }

    static TruncateText parse(String text) {
        List<SqlToken> tokens = SqlToken.of(text);
        List<List<String>> tables = new ArrayList<>();
        boolean cascade = false;
        int at = 1;
        if (at < tokens.size() && tokens.get(at).word().equals("TABLE")) {
            at++;
        }
        StringBuilder name = new StringBuilder();
        for (; at < tokens.size(); at++) {
            SqlToken token = tokens.get(at);
            switch (token.word()) {
                case "ONLY", "*", "RESTRICT", "CONTINUE", "IDENTITY" -> {
                    // The default.
                }
                case "CASCADE" -> cascade = true;
                case "," -> {
                    tables.add(names(name));
                    name = new StringBuilder();
                }
                default -> name.append(text, token.from(), token.to());
            }
        }
        tables.add(names(name));
        return new TruncateText(tables, cascade);
    }

    private static List<String> names(StringBuilder written) {
        if (written.isEmpty()) {
            throw new SqlException(SqlState.SYNTAX_ERROR, "syntax error: TRUNCATE needs a table");
        }
        return SqlText.names(written.toString());
    }
}
