package petrichor.sql;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.transactions.LockStrength;

/** What PostgreSQL's clients write in queries and changes, and H2 does not know. */
final class QuerySyntax {
    private static final Pattern INTERVAL_PART =
            Pattern.compile(
                    "([+-]?\\d+)\\s*(years?|y|months?|mons?|days?|d|hours?|h|minutes?|mins?|m"
                            + "|seconds?|secs?|s)\\b");

    private static final Set<String> UNITS =
            Set.of("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND");

    private static final Set<String> LITERAL_TYPES =
            Set.of(
                    "BOOL",
                    "BOOLEAN",
                    "INT",
                    "INTEGER",
                    "INT2",
                    "INT4",
                    "INT8",
                    "SMALLINT",
                    "BIGINT",
                    "FLOAT4",
                    "FLOAT8",
                    "REAL",
                    "NUMERIC",
                    "TEXT",
                    "NAME",
                    "BYTEA",
                    "JSON",
                    "JSONB",
                    "TIMESTAMPTZ");

    private QuerySyntax() {}

    /**
     * A statement for H2: with FOR UPDATE and FOR SHARE as {@link LockingClause} describes; with
     * texts cast to JSON, intervals of one unit, and types and literals of arrays, as the standard
     * writes them.
     */
    static String known(String text, List<SqlToken> tokens) {
        StringBuilder rewritten = new StringBuilder();
        int copied = 0;
        for (int i = 0; i < tokens.size(); i++) {
            SqlToken token = tokens.get(i);
            int end = token.word().equals("FOR") ? lockingEnd(tokens, i) : -1;
            if (end > 0) {
                rewritten.append(text, copied, token.from());
                i = lock(rewritten, text, tokens, i, end) - 1;
                copied = tokens.get(i).to();
            } else if (token.word().equals("USING")
                    && Set.of("<", ">").contains(word(tokens, i + 1))
                    && !word(tokens, i + 2).equals("=")) {
                rewritten
                        .append(text, copied, token.from())
                        .append(word(tokens, i + 1).equals("<") ? "ASC" : "DESC");
                copied = tokens.get(i + 1).to();
                i++;
            } else if (isTypedLiteral(tokens, i)) {
                String literal = text.substring(tokens.get(i + 1).from(), tokens.get(i + 1).to());
                boolean json = Set.of("JSON", "JSONB").contains(token.word());
                rewritten
                        .append(text, copied, token.from())
                        .append(json ? "(" : "CAST(")
                        .append(literal)
                        .append(json ? " FORMAT JSON)" : " AS " + token.word() + ")");
                copied = tokens.get(i + 1).to();
                i++;
            } else if (isArrayCast(tokens, i)) {
                int from = i - 1;
                String type = text.substring(tokens.get(i + 2).from(), tokens.get(i + 2).to());
                boolean wrapped =
                        word(tokens, from).equals(")")
                                && from >= 2
                                && word(tokens, from - 2).equals("(");
                int literal = wrapped ? from - 1 : from;
                boolean escapes = literal > 0 && word(tokens, literal - 1).equals("E");
                int start = (wrapped ? literal - 1 : literal) - (!wrapped && escapes ? 1 : 0);
                String array =
                        start < 0 || tokens.get(start).from() < copied
                                ? null
                                : ArrayLiteral.expression(word(tokens, literal), escapes, type);
                if (array == null) {
                    rewritten.append(text, copied, tokens.get(i + 2).to()).append(" ARRAY");
                } else {
                    rewritten.append(text, copied, tokens.get(start).from()).append(array);
                }
                copied = tokens.get(i + 4).to();
                i += 4;
            } else if (isJsonCast(tokens, i)) {
                rewritten
                        .append(text, copied, tokens.get(i - 1).from())
                        .append('(')
                        .append(text, tokens.get(i - 1).from(), tokens.get(i - 1).to())
                        .append(" FORMAT JSON)");
                copied = tokens.get(i + 2).to();
                i += 2;
            } else if (i > 0
                    && token.word().equals("[")
                    && word(tokens, i + 1).equals("]")
                    && !word(tokens, i - 1).equals("ARRAY")) {
                rewritten.append(text, copied, token.from()).append(" ARRAY");
                copied = tokens.get(i + 1).to();
                i++;
            } else if (token.word().equals("INTERVAL") && i + 1 < tokens.size()) {
                String unit = i + 2 < tokens.size() ? tokens.get(i + 2).word() : "";
                String interval = UNITS.contains(unit) ? null : interval(tokens.get(i + 1).word());
                if (interval != null) {
                    rewritten.append(text, copied, token.from()).append(interval);
                    copied = tokens.get(i + 1).to();
                    i++;
                }
            }
        }
        return copied == 0 ? text : rewritten.append(text, copied, text.length()).toString();
    }

    /** Whether a literal with its type in front, {@code int4 '1'}, starts here. */
    private static boolean isTypedLiteral(List<SqlToken> tokens, int at) {
        String before = at == 0 ? "" : tokens.get(at - 1).word();
        return LITERAL_TYPES.contains(tokens.get(at).word())
                && word(tokens, at + 1).startsWith("'")
                && !Set.of(".", ":", "AS").contains(before);
    }

    /** Whether {@code ::json} starts here, after a literal without a prefix or a parameter. */
    private static boolean isJsonCast(List<SqlToken> tokens, int at) {
        boolean cast =
                at > 0
                        && tokens.get(at).word().equals(":")
                        && word(tokens, at + 1).equals(":")
                        && Set.of("JSON", "JSONB").contains(word(tokens, at + 2))
                        && !word(tokens, at + 3).equals("[");
        String operand = cast ? tokens.get(at - 1).word() : "";
        boolean prefixed = at > 1 && Set.of("E", "U", "B", "X").contains(word(tokens, at - 2));
        return operand.startsWith("$") || (operand.startsWith("'") && !prefixed);
    }

    /** Whether {@code ::type[]} starts here. */
    private static boolean isArrayCast(List<SqlToken> tokens, int at) {
        return at > 0
                && tokens.get(at).word().equals(":")
                && word(tokens, at + 1).equals(":")
                && at + 2 < tokens.size()
                && Character.isLetter(tokens.get(at + 2).word().charAt(0))
                && word(tokens, at + 3).equals("[")
                && word(tokens, at + 4).equals("]");
    }

    /**
     * Appends a locking clause that starts at {@code at} as H2 writes it.
     *
     * @return the token after it
     */
    private static int lock(
            StringBuilder rewritten, String text, List<SqlToken> tokens, int at, int end) {
        int next = at + 1;
        while (!Set.of("UPDATE", "SHARE").contains(word(tokens, next))) {
            next++;
        }
        LockStrength strength =
                word(tokens, next).equals("SHARE") ? LockStrength.SHARED : LockStrength.EXCLUSIVE;
        LockingClause.WaitPolicy policy =
                switch (word(tokens, end - 1)) {
                    case "NOWAIT" -> LockingClause.WaitPolicy.NOWAIT;
                    case "LOCKED" -> LockingClause.WaitPolicy.SKIP;
                    default -> LockingClause.WaitPolicy.WAIT;
                };
        int last =
                switch (policy) {
                    case NOWAIT -> end - 2;
                    case SKIP -> end - 3;
                    case WAIT -> end - 1;
                };
        rewritten.append("FOR UPDATE");
        if (last > next) {
            rewritten.append(text, tokens.get(next).to(), tokens.get(last).to());
        }
        // The position makes the number unique in the statement.
        rewritten.append(LockingClause.marker(at, strength, policy));
        return end;
    }

    /** The token after a locking clause that starts at {@code at}; -1 if there is none. */
    private static int lockingEnd(List<SqlToken> tokens, int at) {
        int next = at + 1;
        if (word(tokens, next).equals("NO") && word(tokens, next + 1).equals("KEY")) {
            next += 2;
        } else if (word(tokens, next).equals("KEY")) {
            next++;
        }
        if (!word(tokens, next).equals("UPDATE") && !word(tokens, next).equals("SHARE")) {
            return -1;
        }
        next++;
        if (word(tokens, next).equals("OF")) {
            next += 2;
            while (word(tokens, next).equals(",") || word(tokens, next).equals(".")) {
                next += 2;
            }
        }
        if (word(tokens, next).equals("WAIT")) {
            return -1; // written here before
        }
        if (word(tokens, next).equals("NOWAIT")) {
            next++;
        } else if (word(tokens, next).equals("SKIP") && word(tokens, next + 1).equals("LOCKED")) {
            next += 2;
        }
        return Math.min(next, tokens.size());
    }

    private static String word(List<SqlToken> tokens, int index) {
        return index < tokens.size() ? tokens.get(index).word() : "";
    }

    /** Null if it has several units. */
    private static @Nullable String interval(String literal) {
        if (literal.length() < 3 || literal.charAt(0) != '\'') {
            return null;
        }
        String value = literal.substring(1, literal.length() - 1).strip().toLowerCase(Locale.ROOT);
        Matcher part = INTERVAL_PART.matcher(value);
        if (!part.matches()) {
            return value.matches("\\d+:\\d{2}(:\\d{2}(\\.\\d+)?)?")
                    ? "INTERVAL '"
                            + value
                            + (value.indexOf(':') == value.lastIndexOf(':')
                                    ? "' HOUR TO MINUTE"
                                    : "' HOUR TO SECOND")
                    : null;
        }
        String unit = part.group(2);
        String name =
                switch (unit.charAt(0)) {
                    case 'y' -> "YEAR";
                    case 'd' -> "DAY";
                    case 'h' -> "HOUR";
                    case 's' -> "SECOND";
                    default -> unit.startsWith("mo") ? "MONTH" : "MINUTE";
                };
        return "INTERVAL '" + part.group(1) + "' " + name;
    }
}
