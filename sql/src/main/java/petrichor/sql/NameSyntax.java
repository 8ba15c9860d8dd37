package petrichor.sql;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Names of columns that PostgreSQL derives or allows, and the engine does not: of functions that
 * return rows, also in a select list, and keywords after AS. LIKE with an array of patterns.
 */
final class NameSyntax {
    private static final Set<String> ROW_FUNCTIONS = Set.of("GENERATE_SERIES", "UNNEST");

    private static final Set<String> CLAUSES =
            Set.of(
                    "SELECT",
                    "FROM",
                    "WHERE",
                    "GROUP",
                    "HAVING",
                    "ORDER",
                    "LIMIT",
                    "OFFSET",
                    "SET",
                    "VALUES",
                    "ON",
                    "RETURNING",
                    "UNION",
                    "EXCEPT",
                    "INTERSECT",
                    "WINDOW",
                    "FETCH");

    /** After a row function in FROM: it has no alias. */
    private static final Set<String> AFTER_SOURCE =
            Set.of(
                    "WHERE",
                    "GROUP",
                    "HAVING",
                    "ORDER",
                    "LIMIT",
                    "OFFSET",
                    "UNION",
                    "EXCEPT",
                    "INTERSECT",
                    "WINDOW",
                    "FETCH",
                    "JOIN",
                    "CROSS",
                    "LEFT",
                    "RIGHT",
                    "INNER",
                    "FULL",
                    "NATURAL",
                    "ON",
                    "USING",
                    "FOR",
                    "RETURNING",
                    "SET",
                    ",",
                    ")",
                    "");

    /** Reserved by the engine, and names of columns in PostgreSQL after AS. */
    private static final Set<String> RESERVED =
            Set.of(
                    "TRUE",
                    "FALSE",
                    "NULL",
                    "UNKNOWN",
                    "ALL",
                    "AND",
                    "ANY",
                    "AS",
                    "CASE",
                    "CHECK",
                    "DEFAULT",
                    "DISTINCT",
                    "ELSE",
                    "END",
                    "EXISTS",
                    "FETCH",
                    "FOR",
                    "FOREIGN",
                    "FROM",
                    "FULL",
                    "GROUP",
                    "GROUPS",
                    "HAVING",
                    "IF",
                    "IN",
                    "INNER",
                    "IS",
                    "JOIN",
                    "LEFT",
                    "LIKE",
                    "LIMIT",
                    "MINUS",
                    "NOT",
                    "OFFSET",
                    "ON",
                    "OR",
                    "ORDER",
                    "PARTITION",
                    "PRIMARY",
                    "QUALIFY",
                    "RANGE",
                    "REGEXP",
                    "RIGHT",
                    "ROW",
                    "ROWNUM",
                    "ROWS",
                    "SOME",
                    "TO",
                    "TOP",
                    "TRAILING",
                    "UNION",
                    "UNIQUE",
                    "USER",
                    "USING",
                    "WHEN",
                    "WHERE",
                    "WINDOW",
                    "ARRAY",
                    "INTERVAL",
                    "BOTH",
                    "LEADING",
                    "CROSS",
                    "NATURAL",
                    "CONSTRAINT",
                    "SYMMETRIC",
                    "CURRENT_DATE",
                    "CURRENT_TIME");

    private static final Set<String> AGGREGATES =
            Set.of(
                    "COUNT",
                    "SUM",
                    "AVG",
                    "MIN",
                    "MAX",
                    "ARRAY_AGG",
                    "STRING_AGG",
                    "BOOL_AND",
                    "BOOL_OR",
                    "OVER",
                    "GROUP",
                    "HAVING",
                    "DISTINCT",
                    "JSONB_AGG",
                    "JSON_AGG");

    private NameSyntax() {}

    /** The statement with at most one of them replaced, to be parsed again; or as it is. */
    static String known(String text, List<SqlToken> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            String replaced = alias(text, tokens, i);
            replaced = replaced == null ? rows(text, tokens, i) : replaced;
            replaced = replaced == null ? patterns(text, tokens, i) : replaced;
            replaced = replaced == null ? function(text, tokens, i) : replaced;
            if (replaced != null) {
                return replaced;
            }
        }
        return text;
    }

    private static String word(List<SqlToken> tokens, int index) {
        return index >= 0 && index < tokens.size() ? tokens.get(index).word() : "";
    }

    private static boolean isName(String word) {
        return !word.isEmpty()
                && (Character.isLetter(word.charAt(0))
                        || word.charAt(0) == '_'
                        || word.charAt(0) == '"');
    }

    /** A keyword after AS in a select list, in quotes. */
    private static @Nullable String alias(String text, List<SqlToken> tokens, int at) {
        boolean keyword =
                word(tokens, at - 1).equals("AS")
                        && RESERVED.contains(tokens.get(at).word())
                        && Set.of(",", "FROM", "", ")").contains(word(tokens, at + 1))
                        && List.of("SELECT", "RETURNING").contains(clause(tokens, at));
        return keyword
                ? text.substring(0, tokens.get(at).from())
                        + '"'
                        + tokens.get(at).word().toLowerCase(Locale.ROOT)
                        + '"'
                        + text.substring(tokens.get(at).to())
                : null;
    }

    /** The clause of a SELECT that a token belongs to; empty inside a call. */
    private static String clause(List<SqlToken> tokens, int at) {
        int depth = tokens.get(at).depth();
        for (int i = at - 1; i >= 0; i--) {
            SqlToken token = tokens.get(i);
            if (token.depth() < depth) {
                return "";
            }
            if (token.depth() == depth && CLAUSES.contains(token.word())) {
                return token.word();
            }
            if (token.depth() == depth && Set.of("JOIN", "USING").contains(token.word())) {
                return "FROM";
            }
        }
        return "";
    }

    private static int close(List<SqlToken> tokens, int open) {
        for (int i = open + 1; i < tokens.size(); i++) {
            boolean pair =
                    tokens.get(i).word().equals(")")
                            && tokens.get(i).depth() == tokens.get(open).depth();
            if (pair) {
                return i;
            }
        }
        return -1;
    }

    private static @Nullable String rows(String text, List<SqlToken> tokens, int at) {
        String function = tokens.get(at).word();
        boolean called =
                ROW_FUNCTIONS.contains(function)
                        && word(tokens, at + 1).equals("(")
                        && Set.of("SELECT", ",", "FROM", "JOIN").contains(word(tokens, at - 1));
        int close = called ? close(tokens, at + 1) : -1;
        if (close < 0 || word(tokens, at - 1).equals(".")) {
            return null;
        }
        return switch (clause(tokens, at)) {
            case "FROM" -> source(text, tokens, at, close);
            case "SELECT" -> selected(text, tokens, at, close);
            default -> null;
        };
    }

    /** The column of a row function in FROM has the name of its alias. */
    private static @Nullable String source(String text, List<SqlToken> tokens, int at, int close) {
        boolean several =
                tokens.get(at).word().equals("UNNEST") && arguments(tokens, at + 1, close) > 1;
        int next = word(tokens, close + 1).equals("AS") ? close + 2 : close + 1;
        String alias = word(tokens, next);
        if (several || alias.equals("WITH") || word(tokens, next + 1).equals("(")) {
            return null;
        }
        String name = tokens.get(at).word().toLowerCase(Locale.ROOT);
        int end = close;
        if (isName(alias) && !AFTER_SOURCE.contains(alias)) {
            name = text.substring(tokens.get(next).from(), tokens.get(next).to());
            end = next;
        } else if (!AFTER_SOURCE.contains(alias)) {
            return null;
        }
        return text.substring(0, tokens.get(close).to())
                + " AS "
                + name
                + "("
                + name
                + ")"
                + text.substring(tokens.get(end).to());
    }

    private static int arguments(List<SqlToken> tokens, int open, int close) {
        int brackets = 0;
        int commas = 0;
        for (int i = open + 1; i < close; i++) {
            String word = tokens.get(i).word();
            brackets += word.equals("[") ? 1 : word.equals("]") ? -1 : 0;
            boolean separates =
                    brackets == 0 && tokens.get(i).depth() == tokens.get(open).depth() + 1;
            commas += separates && word.equals(",") ? 1 : 0;
        }
        return commas + 1;
    }

    /** A row function in a select list moves to FROM. */
    private static @Nullable String selected(
            String text, List<SqlToken> tokens, int at, int close) {
        int depth = tokens.get(at).depth();
        int select = at;
        while (select >= 0
                && !(tokens.get(select).depth() == depth
                        && tokens.get(select).word().equals("SELECT"))) {
            select--;
        }
        int from = -1;
        int end = tokens.size();
        for (int i = close + 1; i < tokens.size(); i++) {
            SqlToken token = tokens.get(i);
            boolean ends =
                    token.depth() < depth
                            || (token.depth() == depth
                                    && (token.word().equals(")")
                                            || (CLAUSES.contains(token.word())
                                                    && !token.word().equals("SELECT"))));
            if (ends) {
                from = token.depth() == depth && token.word().equals("FROM") ? i : -1;
                end = i;
                break;
            }
        }
        boolean item =
                Set.of("SELECT", ",").contains(word(tokens, at - 1))
                        && (close + 1 == end
                                || Set.of(",", "AS").contains(word(tokens, close + 1))
                                || isName(word(tokens, close + 1)));
        boolean aggregated =
                tokens.subList(Math.max(0, select), tokens.size()).stream()
                        .anyMatch(token -> AGGREGATES.contains(token.word()));
        boolean dependent =
                from > 0
                        && tokens.subList(at + 2, close).stream()
                                .anyMatch(
                                        token ->
                                                isName(token.word())
                                                        && !token.word().equals("ARRAY"));
        if (select < 0 || !item || aggregated || dependent || !alone(tokens, select, at, end)) {
            return null;
        }
        String name = tokens.get(at).word().toLowerCase(Locale.ROOT);
        String source = "rows_" + tokens.get(at).from();
        String call = text.substring(tokens.get(at).from(), tokens.get(close).to());
        boolean named = close + 1 < end && !word(tokens, close + 1).equals(",");
        String column = source + "." + name + (named ? "" : " AS " + name);
        String added = " FROM " + call + " AS " + source + "(" + name + ")";
        int after = from > 0 ? tokens.get(from).to() : end > 0 ? tokens.get(end - 1).to() : 0;
        String between =
                text.substring(tokens.get(close).to(), from > 0 ? tokens.get(from).from() : after);
        return text.substring(0, tokens.get(at).from())
                + column
                + between
                + added
                + (from > 0 ? ", " : "")
                + text.substring(after);
    }

    /** Whether no other row function is in the select list, whose rows go in step, and no star. */
    private static boolean alone(List<SqlToken> tokens, int select, int at, int end) {
        for (int i = select + 1; i < end; i++) {
            boolean same = tokens.get(i).depth() == tokens.get(at).depth();
            boolean rows =
                    i != at
                            && ROW_FUNCTIONS.contains(word(tokens, i))
                            && word(tokens, i + 1).equals("(");
            boolean star =
                    word(tokens, i).equals("*")
                            && Set.of("SELECT", "ALL", ",").contains(word(tokens, i - 1));
            if (same && (rows || star)) {
                return false;
            }
        }
        return true;
    }

    /** Functions that the engine has with another meaning, or as syntax. */
    private static @Nullable String function(String text, List<SqlToken> tokens, int at) {
        if (!word(tokens, at + 1).equals("(") || word(tokens, at - 1).equals(".")) {
            return null;
        }
        int close = close(tokens, at + 1);
        String before = text.substring(0, tokens.get(at).from());
        return switch (tokens.get(at).word()) {
            case "REGEXP_REPLACE" ->
                    before + "operator_regexp_replace" + text.substring(tokens.get(at).to());
            case "COUNT" -> count(text, tokens, at, close);
            case "DECODE" ->
                    close > 0 && arguments(tokens, at + 1, close) == 2
                            ? before + "operator_decode" + text.substring(tokens.get(at).to())
                            : null;
            case "DATE_PART" -> {
                String field = word(tokens, at + 2);
                boolean known =
                        close > 0 && field.matches("'\\w+'") && word(tokens, at + 3).equals(",");
                yield known
                        ? before
                                + "CAST(EXTRACT("
                                + field.substring(1, field.length() - 1)
                                + " FROM "
                                + text.substring(tokens.get(at + 3).to(), tokens.get(close).from())
                                + ") AS DOUBLE PRECISION)"
                                + text.substring(tokens.get(close).to())
                        : null;
            }
            case "CLOCK_TIMESTAMP", "STATEMENT_TIMESTAMP", "TRANSACTION_TIMESTAMP" ->
                    close == at + 2
                            ? before + "now()" + text.substring(tokens.get(close).to())
                            : null;
            default -> null;
        };
    }

    /** {@code count(t.*)}, which leaves out rows that an outer join has filled with nulls. */
    private static @Nullable String count(String text, List<SqlToken> tokens, int at, int close) {
        boolean rows =
                close == at + 5
                        && word(tokens, at + 3).equals(".")
                        && word(tokens, at + 4).equals("*");
        if (!rows) {
            return null;
        }
        boolean outer =
                IntStream.range(0, tokens.size())
                        .anyMatch(
                                i ->
                                        Set.of("LEFT", "RIGHT", "FULL").contains(word(tokens, i))
                                                && !word(tokens, i + 1).equals("("));
        if (outer) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "count of whole rows with an outer join: not supported",
                    "Count a column that is never null.",
                    0,
                    null);
        }
        return text.substring(0, tokens.get(at + 2).from())
                + text.substring(tokens.get(at + 4).from());
    }

    /** {@code x LIKE ANY (array)}. */
    private static @Nullable String patterns(String text, List<SqlToken> tokens, int at) {
        boolean like =
                Set.of("LIKE", "ILIKE").contains(tokens.get(at).word())
                        && Set.of("ANY", "SOME", "ALL").contains(word(tokens, at + 1))
                        && word(tokens, at + 2).equals("(")
                        && !word(tokens, at + 3).equals("SELECT");
        int close = like ? close(tokens, at + 2) : -1;
        boolean not = word(tokens, at - 1).equals("NOT");
        int left = close < 0 ? -1 : JsonSyntax.operand(tokens, not ? at - 2 : at - 1);
        if (left < 0) {
            return null;
        }
        String operand =
                text.substring(tokens.get(left).from(), tokens.get(not ? at - 2 : at - 1).to());
        String array = text.substring(tokens.get(at + 2).to(), tokens.get(close).from());
        if (array.strip().startsWith("'{")) {
            String list = ArrayLiteral.list(array.strip());
            array = list == null ? array : list;
        }
        return text.substring(0, tokens.get(left).from())
                + "operator_like("
                + operand
                + ", "
                + array
                + ", "
                + (tokens.get(at).word().equals("ILIKE") ? "TRUE" : "FALSE")
                + ", "
                + (word(tokens, at + 1).equals("ALL") ? "TRUE" : "FALSE")
                + ", "
                + (not ? "TRUE" : "FALSE")
                + ")"
                + text.substring(tokens.get(close).to());
    }
}
