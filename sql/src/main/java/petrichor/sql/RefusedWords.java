package petrichor.sql;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What no statement may contain. Stateless. */
final class RefusedWords {
    /** Functions of H2 that reach out of the database. */
    private static final Set<String> REFUSED =
            Set.of(
                    "FILE_READ",
                    "FILE_WRITE",
                    "CSVREAD",
                    "CSVWRITE",
                    "LINK_SCHEMA",
                    "ABORT_SESSION",
                    "CANCEL_SESSION",
                    "DB_OBJECT_SQL",
                    "DB_OBJECT_SIZE");

    private static final Set<String> BEFORE_EXPRESSION =
            Set.of(
                    "SELECT",
                    "(",
                    ",",
                    "=",
                    "IN",
                    "VALUES",
                    "WHERE",
                    "AND",
                    "OR",
                    "NOT",
                    "DISTINCT",
                    "ON",
                    "HAVING",
                    "RETURNING");

    /** Throws if the words contain something that must not reach H2, or that it misunderstands. */
    static void refuse(List<String> words) {
        boolean sets = words.contains("GROUPING") || words.contains("SETS");
        for (int i = 0; i < words.size(); i++) {
            boolean nothing =
                    i > 0
                            && words.get(i).equals(")")
                            && words.get(i - 1).equals("(")
                            && BEFORE_EXPRESSION.contains(i == 1 ? "(" : words.get(i - 2));
            if (nothing && !sets) {
                throw new SqlException(SqlState.SYNTAX_ERROR, "syntax error at or near \")\"");
            }
            String following = i + 1 < words.size() ? words.get(i + 1) : "";
            if (words.get(i).equals("LATERAL") && following.equals("(")) {
                throw unsupported(
                        "subqueries after LATERAL",
                        "Write a subquery in the select list, or a join with a subquery that"
                                + " groups its rows.");
            }
            if (words.get(i).equals("FULL")
                    && (following.equals("JOIN") || following.equals("OUTER"))) {
                throw unsupported(
                        "FULL JOIN", "Write a LEFT JOIN, and add the other rows with UNION ALL.");
            }
            String word = words.get(i).toUpperCase(Locale.ROOT).replace("\"", "");
            boolean escaped =
                    word.equals("U") && i + 1 < words.size() && words.get(i + 1).equals("&");
            if (word.matches("\\$0*")) {
                throw new SqlException(
                        SqlState.SYNTAX_ERROR, "syntax error at or near \"" + word + "\"");
            }
            if (REFUSED.contains(word) || escaped) {
                throw StatementWords.unsupported(word);
            }
        }
    }

    private static SqlException unsupported(String what, String hint) {
        return new SqlException(
                SqlState.FEATURE_NOT_SUPPORTED, what + ": not supported", hint, 0, null);
    }

    private RefusedWords() {}
}
