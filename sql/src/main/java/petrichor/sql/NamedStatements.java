package petrichor.sql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Statements that PREPARE names. EXECUTE puts the expressions that it gives in the place of the
 * parameters. Confined to the session's thread.
 */
final class NamedStatements {
    /** Of a session; further ones are 53400. */
    private static final int STATEMENTS_MAX = 5_000;

    /**
     * @param types of the parameters, as written; parameters without one are inferred
     */
    private record Named(String text, List<String> types) {}

    private final Map<String, Named> statements = new HashMap<>();

    boolean contains(String name) {
        return statements.containsKey(name);
    }

    /** Removes one; null removes all. */
    void remove(@Nullable String name) {
        if (name == null) {
            statements.clear();
        } else {
            Named _ = statements.remove(name);
        }
    }

    /** Keeps the statement of PREPARE name [(type, …)] AS statement. */
    void prepare(String text) {
        List<SqlToken> tokens = SqlToken.of(text);
        int at = 2;
        List<String> types = List.of();
        if (at < tokens.size() && tokens.get(at).word().equals("(")) {
            int close = close(tokens, at);
            types = parts(text, tokens, at, close);
            at = close + 1;
        }
        if (at + 1 >= tokens.size() || !tokens.get(at).word().equals("AS")) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "syntax error: PREPARE needs a name, AS and a statement");
        }
        String name = SqlText.names(tokens.get(1).word()).getFirst();
        if (statements.containsKey(name)) {
            throw new SqlException("42P05", "prepared statement \"" + name + "\" already exists");
        }
        if (statements.size() >= STATEMENTS_MAX) {
            throw new SqlException(
                    "53400", "the session has too many prepared statements; deallocate some");
        }
        statements.put(name, new Named(text.substring(tokens.get(at + 1).from()), types));
    }

    /** The statement that EXECUTE name [(expression, …)] runs. */
    String executed(String text) {
        List<SqlToken> tokens = SqlToken.of(text);
        if (tokens.size() < 2) {
            throw new SqlException(SqlState.SYNTAX_ERROR, "syntax error: EXECUTE needs a name");
        }
        String name = SqlText.names(tokens.get(1).word()).getFirst();
        Named named = statements.get(name);
        if (named == null) {
            throw new SqlException("26000", "prepared statement \"" + name + "\" does not exist");
        }
        List<String> values =
                tokens.size() > 2 && tokens.get(2).word().equals("(")
                        ? parts(text, tokens, 2, close(tokens, 2))
                        : List.of();
        int needed = Math.max(named.types().size(), parameters(named.text()));
        if (values.size() != needed) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR,
                    "wrong number of parameters for prepared statement \"" + name + "\"",
                    "Give " + needed + " of them.",
                    0,
                    null);
        }
        return filled(named, values);
    }

    private static String filled(Named named, List<String> values) {
        StringBuilder filled = new StringBuilder();
        int copied = 0;
        for (SqlToken token : SqlToken.of(named.text())) {
            int number = number(token);
            if (number > 0) {
                String type =
                        number <= named.types().size() ? named.types().get(number - 1) : "unknown";
                String value = values.get(number - 1);
                filled.append(named.text(), copied, token.from())
                        .append(
                                type.equalsIgnoreCase("unknown")
                                        ? "(" + value + ")"
                                        : "CAST(" + value + " AS " + type + ")");
                copied = token.to();
            }
        }
        return filled.append(named.text().substring(copied)).toString();
    }

    private static int parameters(String text) {
        return SqlToken.of(text).stream().mapToInt(NamedStatements::number).max().orElse(0);
    }

    /** Of a parameter; 0 for another token. */
    private static int number(SqlToken token) {
        return token.word().matches("\\$[0-9]{1,5}")
                ? Integer.parseInt(token.word().substring(1))
                : 0;
    }

    private static int close(List<SqlToken> tokens, int open) {
        for (int i = open + 1; i < tokens.size(); i++) {
            boolean closes =
                    tokens.get(i).word().equals(")")
                            && tokens.get(i).depth() == tokens.get(open).depth();
            if (closes) {
                return i;
            }
        }
        throw new SqlException(SqlState.SYNTAX_ERROR, "syntax error at end of input");
    }

    /** What commas separate between two parentheses. */
    private static List<String> parts(String text, List<SqlToken> tokens, int open, int close) {
        List<String> parts = new ArrayList<>();
        int from = tokens.get(open).to();
        for (int i = open + 1; i <= close; i++) {
            SqlToken token = tokens.get(i);
            boolean ends =
                    i == close
                            || (token.word().equals(",")
                                    && token.depth() == tokens.get(open).depth() + 1);
            if (ends) {
                String part = text.substring(from, token.from()).strip();
                if (!part.isEmpty()) {
                    parts.add(part);
                }
                from = token.to();
            }
        }
        return parts;
    }
}
