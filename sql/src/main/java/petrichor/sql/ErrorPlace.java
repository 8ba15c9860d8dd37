package petrichor.sql;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.sql.h2.H2Errors;

/**
 * Where in the client's text an error lies. H2 names the place of a syntax error in the rewritten
 * text, and only the name of what does not exist; both are found again among the client's tokens.
 */
final class ErrorPlace {
    private static final Pattern NEAR =
            Pattern.compile("syntax error at or near \"(.*)\"", Pattern.DOTALL);

    private static final String END = "syntax error at end of input";

    /** Statements whose expressions and relations PostgreSQL points at. */
    private static final Set<String> ANALYZED =
            Set.of(
                    "SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "WITH", "VALUES", "TABLE", "(",
                    "EXPLAIN", "DECLARE", "PREPARE");

    private static final Set<String> BEFORE_RELATION =
            Set.of("FROM", "JOIN", "INTO", "UPDATE", "TABLE", "ONLY", ",", "USING", "(");

    private final String text;
    private final List<SqlToken> tokens;

    private ErrorPlace(String text) {
        this.text = text;
        this.tokens = SqlToken.of(text);
    }

    /** The failure with its place in the text, and with PostgreSQL's message about it. */
    static SqlException located(String text, SqlException failed) {
        if (failed.position() > 0) {
            return failed;
        }
        return switch (failed.state()) {
            case SqlState.SYNTAX_ERROR -> new ErrorPlace(text).syntax(failed);
            case SqlState.UNDEFINED_COLUMN -> new ErrorPlace(text).column(failed);
            case SqlState.UNDEFINED_TABLE, SqlState.UNDEFINED_SCHEMA ->
                    new ErrorPlace(text).relation(failed);
            case SqlState.UNDEFINED_FUNCTION -> new ErrorPlace(text).function(failed);
            default -> failed;
        };
    }

    private SqlException syntax(SqlException failed) {
        String message = String.valueOf(failed.getMessage());
        H2Errors.Place place = H2Errors.place(failed.getCause());
        if (place != null) {
            int token = original(place);
            return token == tokens.size()
                    ? at(failed, failed.state(), END, text.length())
                    : at(failed, failed.state(), near(token), tokens.get(token).from());
        }
        Matcher near = NEAR.matcher(message);
        if (near.matches()) {
            int token = first(near.group(1));
            return token < 0
                    ? failed
                    : at(failed, failed.state(), near(token), tokens.get(token).from());
        }
        return message.startsWith(END) ? at(failed, failed.state(), END, text.length()) : failed;
    }

    private String near(int token) {
        SqlToken found = tokens.get(token);
        String word = text.substring(found.from(), found.to());
        boolean open =
                (word.startsWith("'") || word.startsWith("\""))
                        && (word.length() == 1 || word.charAt(word.length() - 1) != word.charAt(0));
        return open
                ? (word.startsWith("'")
                                ? "unterminated quoted string"
                                : "unterminated quoted identifier")
                        + " at or near \""
                        + word
                        + "\""
                : "syntax error at or near \"" + word + "\"";
    }

    /** The token of the client's text at a place of a rewritten one; their number for its end. */
    private int original(H2Errors.Place place) {
        List<SqlToken> executed = SqlToken.of(place.text());
        int at = 0;
        while (at < executed.size() && executed.get(at).to() <= place.index()) {
            at++;
        }
        int prefix = 0;
        int most = Math.min(tokens.size(), executed.size());
        while (prefix < most && same(tokens.get(prefix), executed.get(prefix))) {
            prefix++;
        }
        if (at < prefix) {
            return incomplete(at) ? Math.min(at + 1, tokens.size()) : at;
        }
        int suffix = 0;
        while (suffix < most - prefix
                && same(
                        tokens.get(tokens.size() - 1 - suffix),
                        executed.get(executed.size() - 1 - suffix))) {
            suffix++;
        }
        int fromEnd = executed.size() - at;
        if (fromEnd <= suffix) {
            return tokens.size() - fromEnd;
        }
        for (int i = prefix; i < tokens.size() - suffix; i++) {
            if (same(tokens.get(i), executed.get(at))) {
                return i;
            }
        }
        return prefix;
    }

    /** Whether H2 reports the first of two words, of which the second one is missing. */
    private boolean incomplete(int token) {
        String next = word(token + 1);
        return switch (word(token)) {
            case "ORDER", "GROUP", "PARTITION" -> !next.equals("BY");
            case "PRIMARY", "FOREIGN" -> !next.equals("KEY");
            default -> word(token - 1).equals("SET") && !Set.of("=", ".", "[").contains(next);
        };
    }

    private static boolean same(SqlToken one, SqlToken other) {
        return one.word().equals(other.word());
    }

    private int first(String word) {
        for (int i = 0; i < tokens.size(); i++) {
            if (tokens.get(i).word().equalsIgnoreCase(word)) {
                return i;
            }
        }
        return -1;
    }

    private boolean analyzed() {
        return !tokens.isEmpty() && ANALYZED.contains(tokens.getFirst().word());
    }

    private SqlException column(SqlException failed) {
        List<String> names = H2Errors.names(failed.getCause());
        if (names.isEmpty() || !analyzed()) {
            return failed;
        }
        String all = names.getFirst();
        boolean quoted = tokens.stream().anyMatch(t -> t.word().startsWith("\"") && names(t, all));
        List<String> parts = quoted ? List.of(all) : List.of(all.split("\\.", -1));
        String name = parts.getLast();
        String qualifier = parts.size() > 1 ? parts.get(parts.size() - 2) : "";
        int found = -1;
        for (int i = 0; i < tokens.size() && found < 0; i++) {
            boolean named =
                    names(tokens.get(i), name)
                            && !word(i + 1).equals("(")
                            && !word(i + 1).equals(".")
                            && !word(i - 1).equals("AS")
                            && (qualifier.isEmpty()
                                    || (word(i - 1).equals(".")
                                            && names(tokens.get(i - 2), qualifier)));
            found = named ? i : -1;
        }
        if (found < 0) {
            return failed;
        }
        boolean missing = !qualifier.isEmpty() && !relations(qualifier);
        if (missing) {
            return at(
                    failed,
                    SqlState.UNDEFINED_TABLE,
                    "missing FROM-clause entry for table \"" + qualifier + "\"",
                    tokens.get(start(found)).from());
        }
        String shown = qualifier.isEmpty() ? "\"" + name + "\"" : qualifier + "." + name;
        return at(
                failed,
                failed.state(),
                "column " + shown + " does not exist",
                tokens.get(start(found)).from());
    }

    /**
     * Whether the text names a relation, or gives an alias, that a column could be qualified by.
     */
    private boolean relations(String qualifier) {
        for (int i = 1; i < tokens.size(); i++) {
            if (names(tokens.get(i), qualifier) && !word(i + 1).equals(".")) {
                return true;
            }
        }
        return qualifier.equals("excluded");
    }

    private SqlException relation(SqlException failed) {
        List<String> names = H2Errors.names(failed.getCause());
        if (names.isEmpty() || !analyzed()) {
            return failed;
        }
        boolean schema = failed.state().equals(SqlState.UNDEFINED_SCHEMA);
        for (int i = 1; i < tokens.size(); i++) {
            boolean named =
                    names(tokens.get(i), names.getFirst())
                            && word(i + 1).equals(".") == schema
                            && BEFORE_RELATION.contains(word(start(i) - 1));
            if (named) {
                int end = schema ? i + 2 : i;
                StringBuilder shown = new StringBuilder();
                for (int j = start(i); j <= end && j < tokens.size(); j++) {
                    shown.append(unquoted(tokens.get(j)));
                }
                return at(
                        failed,
                        SqlState.UNDEFINED_TABLE,
                        "relation \"" + shown + "\" does not exist",
                        tokens.get(start(i)).from());
            }
        }
        return failed;
    }

    private SqlException function(SqlException failed) {
        List<String> names = H2Errors.names(failed.getCause());
        for (int i = 0; !names.isEmpty() && i < tokens.size(); i++) {
            if (names(tokens.get(i), names.getFirst()) && word(i + 1).equals("(")) {
                return at(
                        failed,
                        failed.state(),
                        "function " + unquoted(tokens.get(i)) + " does not exist",
                        "No function has this name, or none takes arguments of these types.",
                        tokens.get(start(i)).from());
            }
        }
        return failed;
    }

    /** The first token of a qualified name that ends at a token. */
    private int start(int end) {
        int at = end;
        while (word(at - 1).equals(".") && at >= 2) {
            at -= 2;
        }
        return at;
    }

    private String word(int index) {
        return index >= 0 && index < tokens.size() ? tokens.get(index).word() : "";
    }

    private static boolean names(SqlToken token, String name) {
        String word = token.word();
        return !word.startsWith("'") && !word.equals(".") && unquoted(token).equalsIgnoreCase(name);
    }

    private static String unquoted(SqlToken token) {
        String word = token.word();
        return word.startsWith("\"") && word.length() > 1
                ? word.substring(1, word.length() - 1).replace("\"\"", "\"")
                : word.toLowerCase(Locale.ROOT);
    }

    private SqlException at(SqlException failed, String state, String message, int index) {
        return at(failed, state, message, failed.hint(), index);
    }

    private SqlException at(
            SqlException failed, String state, String message, @Nullable String hint, int index) {
        return new SqlException(
                state, message, hint, 1 + text.codePointCount(0, index), failed.getCause());
    }
}
