package petrichor.sql;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import petrichor.sql.TextEdits.Edit;

/**
 * Names and functions that PostgreSQL allows and the engine does not: keywords after AS, functions
 * of other names, and LIKE with an array of patterns.
 */
final class NameSyntax {
    static final Set<String> CLAUSES =
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

    private static final Set<String> BEFORE_TABLES =
            Set.of(
                    ".",
                    "AS",
                    "INTO",
                    "TABLE",
                    "VIEW",
                    "WITH",
                    "RECURSIVE",
                    "REFERENCES",
                    "EXISTS",
                    "COPY");

    private NameSyntax() {}

    /** The statement with those of them replaced that are not nested, to be read again. */
    static String known(String text, List<SqlToken> tokens) {
        return TextEdits.apply(text, tokens, i -> edit(text, tokens, i));
    }

    private static @Nullable Edit edit(String text, List<SqlToken> tokens, int at) {
        Edit edit = alias(tokens, at);
        edit = edit == null ? materialized(tokens, at) : edit;
        edit = edit == null ? RowFunctionSyntax.edit(text, tokens, at) : edit;
        edit = edit == null ? patterns(text, tokens, at) : edit;
        return edit == null ? function(text, tokens, at) : edit;
    }

    private static String word(List<SqlToken> tokens, int index) {
        return index >= 0 && index < tokens.size() ? tokens.get(index).word() : "";
    }

    static boolean isName(String word) {
        return !word.isEmpty()
                && (Character.isLetter(word.charAt(0))
                        || word.charAt(0) == '_'
                        || word.charAt(0) == '"');
    }

    /** Whether the names of a table's columns, {@code (VALUES …) v(a, b)}, start at a token. */
    static boolean isColumnList(List<SqlToken> tokens, int open) {
        String before = word(tokens, open - 2);
        int close = word(tokens, open).equals("(") ? close(tokens, open) : -1;
        for (int i = open + 1; i < close; i += 2) {
            boolean listed =
                    isName(word(tokens, i)) && Set.of(",", ")").contains(word(tokens, i + 1));
            if (!listed) {
                return false;
            }
        }
        return close > open
                && isName(word(tokens, open - 1))
                && JsonSyntax.isOperand(word(tokens, open - 1))
                && (before.equals(")") || before.equals("AS") || JsonSyntax.isOperand(before));
    }

    /** Whether a token at the depth of a SELECT is the first one after it. */
    static boolean endsSelect(List<SqlToken> tokens, int at) {
        return Set.of("UNION", "EXCEPT", "INTERSECT", "RETURNING").contains(word(tokens, at))
                || isConflict(tokens, at);
    }

    static boolean isConflict(List<SqlToken> tokens, int at) {
        return word(tokens, at).equals("ON") && word(tokens, at + 1).equals("CONFLICT");
    }

    /** A keyword after AS in a select list, in quotes. */
    private static @Nullable Edit alias(List<SqlToken> tokens, int at) {
        boolean keyword =
                word(tokens, at - 1).equals("AS")
                        && RESERVED.contains(tokens.get(at).word())
                        && Set.of(",", "FROM", "", ")").contains(word(tokens, at + 1))
                        && List.of("SELECT", "RETURNING").contains(clause(tokens, at));
        String quoted = '"' + tokens.get(at).word().toLowerCase(Locale.ROOT) + '"';
        return keyword ? Edit.tokens(tokens, at, at, quoted) : null;
    }

    /** {@code WITH x AS NOT MATERIALIZED (}: what the engine decides. */
    private static @Nullable Edit materialized(List<SqlToken> tokens, int at) {
        boolean hint =
                tokens.get(at).word().equals("MATERIALIZED") && word(tokens, at + 1).equals("(");
        int first = hint && word(tokens, at - 1).equals("NOT") ? at - 1 : at;
        return hint && word(tokens, first - 1).equals("AS")
                ? Edit.tokens(tokens, first, at, "")
                : null;
    }

    /** The clause of a SELECT that a token belongs to; empty inside a call. */
    static String clause(List<SqlToken> tokens, int at) {
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

    static int close(List<SqlToken> tokens, int open) {
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

    /** Functions that the engine has with another meaning, or as syntax. */
    private static @Nullable Edit function(String text, List<SqlToken> tokens, int at) {
        if (!word(tokens, at + 1).equals("(") || isTable(tokens, at)) {
            return null;
        }
        return switch (tokens.get(at).word()) {
            case "REGEXP_REPLACE" -> Edit.tokens(tokens, at, at, "operator_regexp_replace");
            case "COUNT" -> count(tokens, at, close(tokens, at + 1));
            case "DECODE" -> {
                int close = close(tokens, at + 1);
                yield close > 0 && RowFunctionSyntax.arguments(tokens, at + 1, close) == 2
                        ? Edit.tokens(tokens, at, at, "operator_decode")
                        : null;
            }
            case "DATE_PART" -> {
                int close = close(tokens, at + 1);
                String field = word(tokens, at + 2);
                boolean known =
                        close > 0 && field.matches("'\\w+'") && word(tokens, at + 3).equals(",");
                yield known
                        ? Edit.tokens(
                                tokens,
                                at,
                                close,
                                "CAST(EXTRACT("
                                        + field.substring(1, field.length() - 1)
                                        + " FROM "
                                        + text.substring(
                                                tokens.get(at + 3).to(), tokens.get(close).from())
                                        + ") AS DOUBLE PRECISION)")
                        : null;
            }
            case "NOW", "CLOCK_TIMESTAMP", "STATEMENT_TIMESTAMP", "TRANSACTION_TIMESTAMP" ->
                    word(tokens, at + 2).equals(")")
                            ? Edit.tokens(tokens, at, at + 2, "CURRENT_TIMESTAMP")
                            : null;
            case "ROUND" -> {
                int close = close(tokens, at + 1);
                yield close > 0 && RowFunctionSyntax.arguments(tokens, at + 1, close) == 2
                        ? Edit.tokens(tokens, at, at, "operator_round")
                        : null;
            }
            case "LPAD" -> Edit.tokens(tokens, at, at, "operator_lpad");
            case "RPAD" -> Edit.tokens(tokens, at, at, "operator_rpad");
            default -> null;
        };
    }

    /** Whether a name in front of a parenthesis is that of a table with its columns. */
    private static boolean isTable(List<SqlToken> tokens, int at) {
        String before = word(tokens, at - 1);
        boolean index = before.equals("ON") && word(tokens, 0).equals("CREATE");
        if (index || BEFORE_TABLES.contains(before)) {
            return true;
        }
        int close = word(tokens, at).matches("ROUND|[LR]PAD|DECODE") ? close(tokens, at + 1) : -1;
        boolean query = close > 0 && word(tokens, close + 1).equals("AS");
        return query && Set.of("(", "NOT", "MATERIALIZED").contains(word(tokens, close + 2));
    }

    /** {@code count(t.*)}, which leaves out rows that an outer join has filled with nulls. */
    private static @Nullable Edit count(List<SqlToken> tokens, int at, int close) {
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
        return Edit.tokens(tokens, at + 2, at + 3, "");
    }

    /** {@code x LIKE ANY (array)}. */
    private static @Nullable Edit patterns(String text, List<SqlToken> tokens, int at) {
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
        String call =
                "operator_like("
                        + operand
                        + ", "
                        + array
                        + ", "
                        + (tokens.get(at).word().equals("ILIKE") ? "TRUE" : "FALSE")
                        + ", "
                        + (word(tokens, at + 1).equals("ALL") ? "TRUE" : "FALSE")
                        + ", "
                        + (not ? "TRUE" : "FALSE")
                        + ")";
        return Edit.tokens(tokens, left, close, call);
    }
}
