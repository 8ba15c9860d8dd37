package petrichor.sql;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import petrichor.sql.TextEdits.Edit;

/**
 * Arithmetic of dates: a date and an interval are a timestamp, the difference of two dates is a
 * number of days.
 */
final class DateSyntax {
    private static final Set<String> FUNCTIONS =
            Set.of("MAX", "MIN", "COALESCE", "GREATEST", "LEAST", "DATE", "TO_DATE", "MAKE_DATE");

    private static final Set<String> NAMES_OF_VALUES =
            Set.of(
                    "CURRENT_TIMESTAMP",
                    "LOCALTIMESTAMP",
                    "CURRENT_TIME",
                    "LOCALTIME",
                    "NULL",
                    "TRUE",
                    "FALSE",
                    "END",
                    "YEAR",
                    "MONTH",
                    "DAY",
                    "HOUR",
                    "MINUTE",
                    "SECOND");

    private static final int TERM_TOKENS_MAX = 20;

    private DateSyntax() {}

    static String known(String text, List<SqlToken> tokens) {
        boolean known = tokens.stream().anyMatch(token -> token.word().equals("INTERVAL"));
        Set<String> intervals = known ? intervals(tokens) : Set.of();
        return TextEdits.apply(text, tokens, i -> edit(text, tokens, i, intervals));
    }

    /** Names that the statement gives to differences and intervals. */
    private static Set<String> intervals(List<SqlToken> tokens) {
        Set<String> intervals = new HashSet<>();
        int known = -1;
        while (known < intervals.size()) {
            known = intervals.size();
            for (int i = 1; i + 1 < tokens.size(); i++) {
                boolean bare = isAlias(tokens, i + 1);
                boolean named = bare || tokens.get(i).word().equals("AS");
                if (named && mayBeInterval(tokens, bare ? i + 1 : i, intervals)) {
                    intervals.add(word(tokens, i + 1));
                }
            }
        }
        return intervals;
    }

    /** Whether a name follows an expression without AS. */
    private static boolean isAlias(List<SqlToken> tokens, int at) {
        String before = word(tokens, at - 1);
        return NameSyntax.isName(word(tokens, at))
                && Set.of(",", "FROM").contains(word(tokens, at + 1))
                && (before.equals(")") || (JsonSyntax.isOperand(before) && !before.equals("AS")));
    }

    /** Whether an item of a select list that ends in front of a token may be an interval. */
    private static boolean mayBeInterval(List<SqlToken> tokens, int end, Set<String> intervals) {
        int depth = tokens.get(end).depth();
        for (int i = end - 1; i >= Math.max(0, end - TERM_TOKENS_MAX); i--) {
            SqlToken token = tokens.get(i);
            boolean item = token.word().equals(",") || token.word().equals("SELECT");
            if (token.depth() < depth || (token.depth() == depth && item)) {
                return false;
            }
            if (isInterval(tokens, i, intervals)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isInterval(List<SqlToken> tokens, int at, Set<String> intervals) {
        String word = word(tokens, at);
        String next = word(tokens, at + 1);
        boolean number = !next.isEmpty() && Character.isDigit(next.charAt(0));
        boolean difference = word.equals("-") && !number && !next.equals(">");
        return difference || word.equals("INTERVAL") || intervals.contains(word);
    }

    private static String word(List<SqlToken> tokens, int index) {
        return index >= 0 && index < tokens.size() ? tokens.get(index).word() : "";
    }

    private static @Nullable Edit edit(
            String text, List<SqlToken> tokens, int at, Set<String> intervals) {
        String word = tokens.get(at).word();
        if (word.equals("DAY")) {
            return day(tokens, at);
        }
        boolean minus = word.equals("-") && !word(tokens, at + 1).equals(">");
        if ((!minus && !word.equals("+")) || word(tokens, at - 1).equals("#")) {
            return null;
        }
        int left = left(tokens, at - 1);
        if (left < 0) {
            return null;
        }
        boolean date =
                interval(tokens, at + 1)
                        && mayBeDate(tokens, left, at - 1)
                        && IntStream.range(left, at)
                                .noneMatch(i -> isInterval(tokens, i, intervals));
        if (date) {
            String operand = text.substring(tokens.get(left).from(), tokens.get(at - 1).to());
            return Edit.tokens(tokens, left, at - 1, "DATEADD(SECOND, 0, " + operand + ")");
        }
        int right = minus ? dateEnd(tokens, at + 1) : -1;
        if (right > 0 && dateEnd(tokens, left) == at) {
            String first = text.substring(tokens.get(left).from(), tokens.get(at - 1).to());
            String second = text.substring(tokens.get(at + 1).from(), tokens.get(right - 1).to());
            return Edit.tokens(
                    tokens,
                    left,
                    right - 1,
                    "CAST(DATEDIFF(DAY, " + second + ", " + first + ") AS INTEGER)");
        }
        return null;
    }

    /** {@code INTERVAL '1' DAY}, whose type the engine gives to the difference of two dates. */
    private static @Nullable Edit day(List<SqlToken> tokens, int at) {
        String literal = word(tokens, at - 1);
        boolean whole =
                literal.matches("'[+-]?[0-9]{1,9}'")
                        && word(tokens, at - 2).equals("INTERVAL")
                        && !word(tokens, at + 1).equals("TO")
                        && !word(tokens, at + 1).equals("(");
        return whole
                ? Edit.tokens(
                        tokens,
                        at - 1,
                        at,
                        literal.substring(0, literal.length() - 1) + " 00:00:00' DAY TO SECOND")
                : null;
    }

    /** Where the operand that ends at a token starts, with the type of a literal; -1 if none. */
    private static int left(List<SqlToken> tokens, int end) {
        int left = end < 0 ? -1 : JsonSyntax.left(tokens, end);
        boolean typed =
                left > 0
                        && word(tokens, left).startsWith("'")
                        && word(tokens, left - 1).equals("DATE");
        return typed ? left - 1 : left;
    }

    /** Whether the term that starts at a token has an interval. */
    private static boolean interval(List<SqlToken> tokens, int start) {
        int depth = start < tokens.size() ? tokens.get(start).depth() : 0;
        for (int i = start; i < Math.min(tokens.size(), start + TERM_TOKENS_MAX); i++) {
            String word = word(tokens, i);
            boolean here = tokens.get(i).depth() == depth;
            if (tokens.get(i).depth() < depth || (here && ends(word))) {
                return false;
            }
            if (here && word.equals("INTERVAL") && word(tokens, i + 1).startsWith("'")) {
                return true;
            }
        }
        return false;
    }

    private static boolean ends(String word) {
        return Set.of("+", "-", ",", ")", "<", ">", "=", "AND", "OR", "FROM", "AS", "|")
                .contains(word);
    }

    /** A column, a date, or what returns one of its arguments. */
    private static boolean mayBeDate(List<SqlToken> tokens, int left, int last) {
        if (dateEnd(tokens, left) == last + 1) {
            return true;
        }
        String first = word(tokens, left);
        boolean typed =
                Set.of("TIMESTAMP", "TIMESTAMPTZ", "TIME", "ZONE").contains(word(tokens, left - 1));
        boolean name =
                !first.isEmpty()
                        && (Character.isLetter(first.charAt(0))
                                || "_\"".indexOf(first.charAt(0)) >= 0);
        if (!name || typed || NAMES_OF_VALUES.contains(first)) {
            return false;
        }
        if (word(tokens, last).equals(")")) {
            return FUNCTIONS.contains(first) && word(tokens, left + 1).equals("(");
        }
        for (int i = left; i <= last; i++) {
            if (word(tokens, i).equals(":")) {
                return false;
            }
        }
        return true;
    }

    /** The token after an expression that starts at a token, if it is a date; otherwise -1. */
    private static int dateEnd(List<SqlToken> tokens, int start) {
        String word = word(tokens, start);
        if (word.equals("CURRENT_DATE")) {
            return start + 1;
        }
        if (word.equals("DATE") && word(tokens, start + 1).startsWith("'")) {
            return start + 2;
        }
        if (word.equals("CAST") && word(tokens, start + 1).equals("(")) {
            for (int i = start + 2; i < tokens.size(); i++) {
                if (tokens.get(i).depth() == tokens.get(start).depth()) {
                    boolean date =
                            word(tokens, i - 1).equals("DATE") && word(tokens, i - 2).equals("AS");
                    return date ? i + 1 : -1;
                }
            }
            return -1;
        }
        int end = start;
        while (JsonSyntax.isOperand(word(tokens, end)) && word(tokens, end + 1).equals(".")) {
            end += 2;
        }
        boolean cast =
                JsonSyntax.isOperand(word(tokens, end))
                        && word(tokens, end + 1).equals(":")
                        && word(tokens, end + 2).equals(":")
                        && word(tokens, end + 3).equals("DATE");
        return cast ? end + 4 : -1;
    }
}
