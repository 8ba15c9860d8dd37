package petrichor.sql;

import java.time.DateTimeException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Literals of PostgreSQL that the engine reads in another way or not at all: dates and times,
 * intervals of several units, bytes, truth values, numbers that are none, and arrays.
 */
final class LiteralSyntax {
    private static final Map<String, TimeLiteral.Kind> TIMES =
            Map.of(
                    "DATE", TimeLiteral.Kind.DATE,
                    "TIME", TimeLiteral.Kind.TIME,
                    "TIMESTAMP", TimeLiteral.Kind.TIMESTAMP,
                    "TIMESTAMPTZ", TimeLiteral.Kind.TIMESTAMPTZ);

    private static final Set<String> FLOATS =
            Set.of("FLOAT4", "FLOAT8", "REAL", "NUMERIC", "DECIMAL");
    private static final Set<String> COMPARISONS = Set.of("=", "<", ">");

    /**
     * A literal with its type: {@code date '…'}, {@code '…'::date} or {@code CAST('…' AS date)}.
     */
    private record Typed(String type, int literal, int first, int end) {}

    private LiteralSyntax() {}

    /**
     * The statement with all of them replaced that have a type, or with one array, to be parsed
     * again; or as it is.
     */
    static String known(String text, List<SqlToken> tokens) {
        StringBuilder known = new StringBuilder();
        int copied = 0;
        for (int i = 0; i < tokens.size(); i++) {
            String replaced = copied == 0 ? array(text, tokens, i) : null;
            if (replaced != null) {
                return replaced;
            }
            Typed typed = typed(tokens, i);
            String value = typed == null ? null : value(tokens, typed);
            if (typed == null || value == null) {
                continue;
            }
            String expression = checked(tokens, typed, value);
            if (expression != null) {
                known.append(text, copied, tokens.get(typed.first()).from()).append(expression);
                copied = tokens.get(typed.end() - 1).to();
            }
            if (expression != null || isType(typed.type())) {
                // What follows is no type of the same literal.
                i = typed.end() - 1;
            }
        }
        return copied == 0 ? text : known.append(text, copied, text.length()).toString();
    }

    private static boolean isType(String word) {
        return TIMES.containsKey(word)
                || FLOATS.contains(word)
                || Set.of("BYTEA", "BOOL", "BOOLEAN", "INTERVAL").contains(word);
    }

    private static @Nullable String checked(List<SqlToken> tokens, Typed typed, String value) {
        try {
            return expression(tokens, typed, value);
        } catch (NumberFormatException | DateTimeException | ArithmeticException malformed) {
            throw new SqlException(
                    SqlState.INVALID_DATETIME,
                    "invalid input syntax for type "
                            + typed.type().toLowerCase(Locale.ROOT)
                            + ": \""
                            + value
                            + "\"",
                    malformed);
        }
    }

    private static String word(List<SqlToken> tokens, int index) {
        return index >= 0 && index < tokens.size() ? tokens.get(index).word() : "";
    }

    /** A typed literal that starts at a token, or whose text does. */
    private static @Nullable Typed typed(List<SqlToken> tokens, int at) {
        String before = word(tokens, at - 1);
        String word = tokens.get(at).word();
        if (Character.isLetter(word.charAt(0))) {
            boolean name = Set.of(".", ":", "AS", "SYSTEM").contains(before);
            int literal = word(tokens, at + 1).equals("E") ? at + 2 : at + 1;
            if (!name && word(tokens, literal).startsWith("'") && !word.equals("E")) {
                return new Typed(word, literal, at, literal + 1);
            }
            boolean cast =
                    word.equals("CAST")
                            && word(tokens, at + 1).equals("(")
                            && word(tokens, at + 2).startsWith("'")
                            && word(tokens, at + 3).equals("AS")
                            && word(tokens, at + 5).equals(")");
            return cast ? new Typed(word(tokens, at + 4), at + 2, at, at + 6) : null;
        }
        boolean suffix =
                word.startsWith("'")
                        && word(tokens, at + 1).equals(":")
                        && word(tokens, at + 2).equals(":");
        String type = suffix ? word(tokens, at + 3) : "";
        String next = word(tokens, at + 4);
        boolean alone =
                !next.equals("[")
                        && !next.equals("(")
                        && !next.equals("ARRAY")
                        && !next.equals("WITH")
                        && !next.equals("WITHOUT");
        if (type.isEmpty() || !alone) {
            return null;
        }
        boolean escapes = before.equals("E");
        return new Typed(type, at, escapes ? at - 1 : at, at + 4);
    }

    /** The text of a literal; null if it is of another form. */
    private static @Nullable String value(List<SqlToken> tokens, Typed typed) {
        String literal = word(tokens, typed.literal());
        if (literal.length() < 2 || !literal.endsWith("'")) {
            return null;
        }
        String quoted = literal.substring(1, literal.length() - 1).replace("''", "'");
        return word(tokens, typed.literal() - 1).equals("E")
                ? ArrayLiteral.unescaped(quoted)
                : quoted;
    }

    private static @Nullable String expression(List<SqlToken> tokens, Typed typed, String value) {
        TimeLiteral.Kind time = TIMES.get(typed.type());
        if (time != null) {
            String known = TimeLiteral.expression(time, value);
            boolean same =
                    known == null
                            || (word(tokens, typed.first()).equals("CAST")
                                    && known.contains("'" + value + "'"));
            return same ? null : known;
        }
        return switch (typed.type()) {
            case "BYTEA" -> "X'" + HexFormat.of().formatHex(ByteText.parse(value)) + "'";
            case "BOOL", "BOOLEAN" -> truth(value);
            case "INTERVAL" -> interval(tokens, typed, value);
            default -> FLOATS.contains(typed.type()) ? notANumber(typed.type(), value) : null;
        };
    }

    private static @Nullable String interval(List<SqlToken> tokens, Typed typed, String value) {
        String next = word(tokens, typed.end());
        boolean unit = Set.of("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND").contains(next);
        String before = word(tokens, typed.first() - 1);
        boolean added = before.equals("+") || before.equals("-");
        // Two literals without parentheses must not be the operand of what binds more tightly.
        String sign = added && !Set.of("*", "/", ":").contains(next) ? before : "";
        if (unit || next.equals("(")) {
            return null;
        }
        String expression = IntervalLiteral.expression(value, sign);
        if (expression == null) {
            boolean mixed = IntervalLiteral.expression(value, "+") != null;
            throw mixed
                    ? new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "an interval of months and days: not supported, except after + and -")
                    : new SqlException(
                            SqlState.INVALID_DATETIME,
                            "invalid input syntax for type interval: \"" + value + "\"");
        }
        return expression;
    }

    private static @Nullable String truth(String value) {
        String word = value.strip().toLowerCase(Locale.ROOT);
        if (word.isEmpty()) {
            return null;
        }
        for (String yes : List.of("true", "yes", "on", "1")) {
            boolean shortened = yes.startsWith(word) && !word.equals("o");
            if (shortened) {
                return "TRUE";
            }
        }
        for (String no : List.of("false", "no", "off", "0")) {
            boolean shortened = no.startsWith(word) && !word.equals("o");
            if (shortened) {
                return "FALSE";
            }
        }
        return null;
    }

    private static @Nullable String notANumber(String type, String value) {
        String name =
                switch (value.strip().toLowerCase(Locale.ROOT)) {
                    case "nan" -> "NaN";
                    case "inf", "infinity", "+inf", "+infinity" -> "Infinity";
                    case "-inf", "-infinity" -> "-Infinity";
                    default -> "";
                };
        String known =
                switch (type) {
                    case "FLOAT8" -> "DOUBLE PRECISION";
                    case "FLOAT4", "REAL" -> "REAL";
                    default -> "DECFLOAT";
                };
        return name.isEmpty() || (value.equals(name) && type.equals("REAL"))
                ? null
                : "CAST('" + name + "' AS " + known + ")";
    }

    /** A literal after ANY, a literal in CAST, or a text that is cast to an array. */
    private static @Nullable String array(String text, List<SqlToken> tokens, int at) {
        String word = tokens.get(at).word();
        boolean any =
                Set.of("ANY", "SOME", "ALL").contains(word)
                        && COMPARISONS.contains(word(tokens, at - 1))
                        && word(tokens, at + 1).equals("(")
                        && word(tokens, at + 2).startsWith("'{")
                        && word(tokens, at + 3).equals(")");
        if (any) {
            String list = ArrayLiteral.list(word(tokens, at + 2));
            return list == null ? null : replaced(text, tokens, at + 2, at + 3, list);
        }
        boolean cast =
                word.equals("CAST")
                        && word(tokens, at + 1).equals("(")
                        && word(tokens, at + 3).equals("AS")
                        && word(tokens, at + 5).equals("[")
                        && word(tokens, at + 6).equals("]")
                        && word(tokens, at + 7).equals(")");
        if (cast) {
            String type = text.substring(tokens.get(at + 4).from(), tokens.get(at + 6).to());
            String operand = text.substring(tokens.get(at + 2).from(), tokens.get(at + 2).to());
            return replaced(text, tokens, at, at + 8, operand + "::" + type);
        }
        boolean suffix =
                at > 0
                        && word.equals(":")
                        && word(tokens, at + 1).equals(":")
                        && word(tokens, at + 3).equals("[")
                        && word(tokens, at + 4).equals("]");
        String operand = suffix ? word(tokens, at - 1) : "'";
        boolean column =
                Character.isLetter(operand.charAt(0))
                        || operand.charAt(0) == '"'
                        || operand.charAt(0) == '_';
        if (!column || operand.equals("ARRAY") || word(tokens, at - 2).equals(":")) {
            return null;
        }
        int first = at - 1;
        while (word(tokens, first - 1).equals(".")) {
            first -= 2;
        }
        String type = text.substring(tokens.get(at + 2).from(), tokens.get(at + 2).to());
        String read = text.substring(tokens.get(first).from(), tokens.get(at - 1).to());
        return replaced(
                text,
                tokens,
                first,
                at + 5,
                "CAST(operator_array_input(" + read + ") AS " + type + " ARRAY)");
    }

    private static String replaced(
            String text, List<SqlToken> tokens, int first, int end, String by) {
        return text.substring(0, tokens.get(first).from())
                + by
                + text.substring(tokens.get(end - 1).to());
    }
}
