package petrichor.sql;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A TRUNCATE statement. Immutable.
 *
 * @param tables each with or without its schema
 */
public record TruncateText(List<List<String>> tables, Set<Option> options) {
    /** What is done beyond removing the rows of these tables. */
    public enum Option {
        /** Tables that refer to these are truncated, too. */
        CASCADE,
        /** Identity columns start again. */
        RESTART_IDENTITY
    }

    public TruncateText {
        tables = List.copyOf(tables);
        options = Set.copyOf(options);
    }

    static TruncateText parse(String text) {
        List<SqlToken> tokens = SqlToken.of(text);
        List<List<String>> tables = new ArrayList<>();
        Set<Option> options = EnumSet.noneOf(Option.class);
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
                case "CASCADE" -> options.add(Option.CASCADE);
                case "RESTART" -> options.add(Option.RESTART_IDENTITY);
                case "," -> {
                    tables.add(names(name));
                    name = new StringBuilder();
                }
                default -> name.append(text, token.from(), token.to());
            }
        }
        tables.add(names(name));
        return new TruncateText(tables, options);
    }

    private static List<String> names(StringBuilder written) {
        if (written.isEmpty()) {
            throw new SqlException(SqlState.SYNTAX_ERROR, "syntax error: TRUNCATE needs a table");
        }
        return SqlText.names(written.toString());
    }
}
