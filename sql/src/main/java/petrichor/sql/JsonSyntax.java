package petrichor.sql;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.sql.TextEdits.Edit;

/**
 * Operators and functions of JSON, and containment of arrays, as calls of functions that H2 knows.
 * Functions return JSON as text, which FORMAT JSON reads.
 */
final class JsonSyntax {
    /**
     * @param function that takes both operands
     * @param json whether it returns JSON
     */
    private record Operator(String text, String function, boolean json) {}

    /** Longer ones before those that they start with. */
    private static final List<Operator> OPERATORS =
            List.of(
                    new Operator("->>", "operator_json_text", false),
                    new Operator("->", "operator_json_get", true),
                    new Operator("#>>", "operator_json_path_text", false),
                    new Operator("#>", "operator_json_path", true),
                    new Operator("#-", "operator_json_delete", true),
                    new Operator("@>", "operator_contains", false),
                    new Operator("<@", "operator_contained", false),
                    new Operator("&&", "operator_overlaps", false),
                    new Operator("?|", "operator_json_any", false),
                    new Operator("?&", "operator_json_all", false),
                    new Operator("?", "operator_json_exists", false));

    private static final Set<String> FUNCTIONS =
            Set.of(
                    "JSONB_BUILD_OBJECT",
                    "JSON_BUILD_OBJECT",
                    "JSONB_BUILD_ARRAY",
                    "JSON_BUILD_ARRAY",
                    "TO_JSONB",
                    "TO_JSON",
                    "ARRAY_TO_JSON",
                    "JSONB_SET",
                    "JSONB_STRIP_NULLS",
                    "JSON_STRIP_NULLS",
                    "JSONB_EXTRACT_PATH",
                    "JSON_EXTRACT_PATH");

    private static final Set<String> ARRAY_AGGREGATES = Set.of("JSONB_AGG", "JSON_AGG");
    private static final Set<String> OBJECT_AGGREGATES =
            Set.of("JSONB_OBJECT_AGG", "JSON_OBJECT_AGG");

    /** Before an expression in parentheses, these are no functions. */
    private static final Set<String> KEYWORDS =
            Set.of(
                    "SELECT",
                    "WHERE",
                    "AND",
                    "OR",
                    "NOT",
                    "ON",
                    "WHEN",
                    "THEN",
                    "ELSE",
                    "IN",
                    "BY",
                    "HAVING",
                    "RETURNING",
                    "SET",
                    "FROM",
                    "AS",
                    "CASE",
                    "BETWEEN",
                    "LIKE",
                    "IS",
                    "DISTINCT",
                    "VALUES",
                    "ALL",
                    "USING",
                    "LIMIT",
                    "OFFSET",
                    "UNION",
                    "ILIKE");

    /** Those that bind more tightly than LIKE. */
    private static final Set<String> TIGHT =
            Set.of("||", "+", "-", "*", "/", "%", "^", "->", "->>", "#>", "#>>", "#-");

    private JsonSyntax() {}

    /** The statement with those of them replaced that are not nested, to be read again. */
    static String known(String text, List<SqlToken> tokens) {
        return TextEdits.apply(text, tokens, i -> edit(text, tokens, i));
    }

    private static @Nullable Edit edit(String text, List<SqlToken> tokens, int at) {
        Operator operator = at > 0 ? operator(text, tokens, at) : null;
        if (operator != null) {
            int length = operator.text().length();
            int left = left(tokens, at - 1);
            int right = right(tokens, at + length);
            if (left >= 0 && right > 0) {
                String call =
                        (operator.json() ? "(" : "")
                                + operator.function()
                                + "("
                                + text.substring(tokens.get(left).from(), tokens.get(at - 1).to())
                                + ", "
                                + text.substring(
                                        tokens.get(at + length).from(), tokens.get(right - 1).to())
                                + ")"
                                + (operator.json() ? " FORMAT JSON)" : "");
                return Edit.tokens(tokens, left, right - 1, call);
            }
        }
        Edit changed = at > 0 ? changed(text, tokens, at) : null;
        if (changed != null) {
            return changed;
        }
        boolean called = word(tokens, at + 1).equals("(");
        return called ? call(text, tokens, at, tokens.get(at).word()) : null;
    }

    /**
     * {@code ||} of JSON, which one of the operands shows, and {@code -} of JSON or with a member's
     * name.
     */
    private static @Nullable Edit changed(String text, List<SqlToken> tokens, int at) {
        boolean minus = tokens.get(at).word().equals("-") && !word(tokens, at + 1).equals(">");
        boolean concatenates =
                tokens.get(at).word().equals("|")
                        && word(tokens, at + 1).equals("|")
                        && tokens.get(at + 1).from() == tokens.get(at).to();
        if (!minus && !concatenates) {
            return null;
        }
        int next = concatenates ? at + 2 : at + 1;
        boolean name = minus && word(tokens, next).matches("'[A-Za-z_][A-Za-z_ 0-9]*'");
        boolean shown = concatenates ? showsJson(tokens, at, next) : endsJson(tokens, at - 1);
        boolean json = shown || isJson(tokens, at - 1);
        if (json && concatenates && hasTexts(tokens, at)) {
            return null;
        }
        int left = name || json ? left(tokens, at - 1) : -1;
        int right = left < 0 ? -1 : right(tokens, next);
        if (right < 0) {
            return null;
        }
        String operands =
                text.substring(tokens.get(left).from(), tokens.get(at - 1).to())
                        + ", "
                        + text.substring(tokens.get(next).from(), tokens.get(right - 1).to());
        String function = minus ? "operator_json_remove" : "operator_json_concat";
        return Edit.tokens(
                tokens, left, right - 1, "(" + function + "(" + operands + ") FORMAT JSON)");
    }

    /** Whether an expression written by these rules ends at a token. */
    private static boolean isJson(List<SqlToken> tokens, int end) {
        return word(tokens, end).equals(")")
                && word(tokens, end - 1).equals("JSON")
                && word(tokens, end - 2).equals("FORMAT");
    }

    private static boolean startsJson(List<SqlToken> tokens, int start) {
        int inner = inner(tokens, start);
        return word(tokens, inner).equals("(") && isJson(tokens, close(tokens, inner));
    }

    private static boolean endsJson(List<SqlToken> tokens, int end) {
        int open = word(tokens, end).equals(")") ? open(tokens, end) : -1;
        return open >= 0 && startsJson(tokens, open);
    }

    /** The innermost of the parentheses that surround the same expression. */
    private static int inner(List<SqlToken> tokens, int open) {
        int inner = open;
        while (word(tokens, inner).equals("(")
                && word(tokens, inner + 1).equals("(")
                && close(tokens, inner + 1) == close(tokens, inner) - 1) {
            inner++;
        }
        return inner;
    }

    /** Whether the operands of a concatenation show that it is one of JSON. */
    private static boolean showsJson(List<SqlToken> tokens, int at, int next) {
        boolean starts = startsJson(tokens, next);
        return endsJson(tokens, at - 1)
                ? starts || word(tokens, next).startsWith("'")
                : starts && !isMember(tokens, next);
    }

    /**
     * Whether an expression of JSON may be concatenated to a text, too: a column in front of it
     * does not show which.
     */
    private static boolean isMember(List<SqlToken> tokens, int start) {
        return Set.of("OPERATOR_JSON_GET", "OPERATOR_JSON_PATH")
                .contains(word(tokens, inner(tokens, start) + 1));
    }

    /** Whether one of the operands that are concatenated is a text. */
    private static boolean hasTexts(List<SqlToken> tokens, int at) {
        boolean texts = false;
        int before = at;
        while (!texts && isConcatenation(tokens, before)) {
            int left = left(tokens, before - 1);
            texts = left >= 0 && isText(tokens, left, before - 1);
            before = left - 2;
        }
        int after = at;
        while (!texts && isConcatenation(tokens, after)) {
            int right = right(tokens, after + 2);
            texts = right > 0 && isText(tokens, after + 2, right - 1);
            after = right;
        }
        return texts;
    }

    private static boolean isConcatenation(List<SqlToken> tokens, int at) {
        return word(tokens, at).equals("|") && word(tokens, at + 1).equals("|");
    }

    private static boolean isText(List<SqlToken> tokens, int first, int last) {
        String end = word(tokens, last);
        boolean literal = end.startsWith("'") && !end.matches("(?s)'\\s*[\\[{\"].*");
        boolean cast =
                Set.of("TEXT", "VARCHAR").contains(end) && word(tokens, last - 1).equals(":");
        boolean called =
                word(tokens, first).equals("CAST")
                        && Set.of("TEXT", "VARCHAR").contains(word(tokens, last - 1));
        int inner = first;
        while (inner < last && word(tokens, inner).equals("(")) {
            inner++;
        }
        return literal
                || cast
                || called
                || Set.of("OPERATOR_JSON_TEXT", "OPERATOR_JSON_PATH_TEXT")
                        .contains(word(tokens, inner));
    }

    private static @Nullable Edit call(String text, List<SqlToken> tokens, int at, String called) {
        boolean known =
                FUNCTIONS.contains(called)
                        || called.equals("ARRAY_LENGTH")
                        || ARRAY_AGGREGATES.contains(called)
                        || OBJECT_AGGREGATES.contains(called);
        int close = known ? close(tokens, at + 1) : -1;
        String replaced = close < 0 ? null : call(text, tokens, at, close);
        return replaced == null ? null : Edit.tokens(tokens, at, close, replaced);
    }

    private static @Nullable String call(String text, List<SqlToken> tokens, int at, int close) {
        String called = tokens.get(at).word();
        String arguments = text.substring(tokens.get(at + 1).to(), tokens.get(close).from());
        if (FUNCTIONS.contains(called) && !word(tokens, close + 1).equals("FORMAT")) {
            return "(" + called + "(" + arguments + ") FORMAT JSON)";
        }
        if (called.equals("ARRAY_LENGTH") && comma(tokens, at, close) > 0) {
            return "operator_array_length(" + arguments + ")";
        }
        if (ARRAY_AGGREGATES.contains(called)) {
            return "JSON_ARRAYAGG(" + arguments + " NULL ON NULL)";
        }
        int comma = OBJECT_AGGREGATES.contains(called) ? comma(tokens, at, close) : -1;
        return comma < 0
                ? null
                : "JSON_OBJECTAGG("
                        + text.substring(tokens.get(at + 1).to(), tokens.get(comma).from())
                        + " VALUE "
                        + text.substring(tokens.get(comma).to(), tokens.get(close).from())
                        + ")";
    }

    /** The first comma between arguments of a call; -1 if there is none. */
    private static int comma(List<SqlToken> tokens, int at, int close) {
        for (int i = at + 2; i < close; i++) {
            SqlToken token = tokens.get(i);
            if (token.word().equals(",") && token.depth() == tokens.get(at).depth() + 1) {
                return i;
            }
        }
        return -1;
    }

    private static @Nullable Operator operator(String text, List<SqlToken> tokens, int at) {
        int from = tokens.get(at).from();
        for (Operator operator : OPERATORS) {
            int length = operator.text().length();
            if (text.startsWith(operator.text(), from)
                    && at + length < tokens.size()
                    && tokens.get(at + length - 1).to() == from + length) {
                return operator;
            }
        }
        return null;
    }

    private static String word(List<SqlToken> tokens, int index) {
        return index >= 0 && index < tokens.size() ? tokens.get(index).word() : "";
    }

    static boolean isOperand(String word) {
        if (word.isEmpty() || KEYWORDS.contains(word)) {
            return false;
        }
        char first = word.charAt(0);
        return Character.isLetterOrDigit(first)
                || first == '_'
                || first == '"'
                || first == '\''
                || first == '$';
    }

    /** Where the left operand of LIKE that ends at a token starts; -1 if none does. */
    static int operand(List<SqlToken> tokens, int end) {
        int at = left(tokens, end);
        while (at > 0) {
            int operator = operator(tokens, at);
            if (operator < 0) {
                return at;
            }
            int before = left(tokens, operator - 1);
            boolean sign = Set.of("+", "-").contains(word(tokens, operator));
            at = before < 0 && sign ? operator : before;
        }
        return at;
    }

    /** Where the operator in front of a token starts; -1 if none binds more tightly than LIKE. */
    private static int operator(List<SqlToken> tokens, int end) {
        StringBuilder operator = new StringBuilder();
        int start = end;
        boolean symbol = true;
        while (symbol && start > 0) {
            String word = word(tokens, start - 1);
            symbol =
                    word.length() == 1
                            && "+-*/<>=~!@#%^&|?".contains(word)
                            && (start == end
                                    || tokens.get(start - 1).to() == tokens.get(start).from());
            if (symbol) {
                operator.insert(0, word);
                start--;
            }
        }
        return TIGHT.contains(operator.toString()) ? start : -1;
    }

    /** Where the expression that ends at a token starts; -1 if none does. */
    static int left(List<SqlToken> tokens, int end) {
        int at = end;
        String word = word(tokens, at);
        if (word.equals(")") || word.equals("]")) {
            int open = open(tokens, at);
            if (open < 0) {
                return -1;
            }
            String before = word(tokens, open - 1);
            boolean called =
                    isOperand(before) && !before.startsWith("'") && !before.startsWith("$");
            if (!called) {
                return open;
            }
            at = open - 1;
        } else if (!isOperand(word)) {
            return -1;
        } else if (word.equals("END") && !word(tokens, at - 1).equals(".")) {
            return caseOf(tokens, at);
        }
        if (word.equals("ARRAY") && word(tokens, at - 2).equals(":")) {
            at--;
        }
        while (word(tokens, at - 1).equals(".")) {
            at -= 2;
        }
        if (word(tokens, at - 1).equals(":") && word(tokens, at - 2).equals(":")) {
            return left(tokens, at - 3);
        }
        boolean escapes = word(tokens, at).startsWith("'") && word(tokens, at - 1).equals("E");
        return escapes ? at - 1 : at;
    }

    /** The token after the expression that starts at a token; -1 if none does. */
    private static int right(List<SqlToken> tokens, int start) {
        int at = start;
        if (word(tokens, at).equals("-")) {
            at++;
        }
        String word = word(tokens, at);
        if (word.equals("E") && word(tokens, at + 1).startsWith("'")) {
            at += 2;
        } else if (word.equals("(")) {
            at = close(tokens, at) + 1;
        } else if (isOperand(word)) {
            at++;
            while (word(tokens, at).equals(".")) {
                at += 2;
            }
        } else {
            return -1;
        }
        while (at > 0) {
            String next = word(tokens, at);
            if (next.equals("(") || next.equals("[")) {
                at = close(tokens, at) + 1;
            } else if (next.equals(":") && word(tokens, at + 1).equals(":")) {
                at += word(tokens, at + 3).equals("ARRAY") ? 4 : 3;
            } else {
                break;
            }
        }
        return at <= tokens.size() ? at : -1;
    }

    /** The CASE of an END; -1 if there is none. */
    private static int caseOf(List<SqlToken> tokens, int end) {
        int nested = 0;
        for (int i = end; i >= 0; i--) {
            nested += word(tokens, i).equals("END") ? 1 : word(tokens, i).equals("CASE") ? -1 : 0;
            if (nested == 0) {
                return i;
            }
        }
        return -1;
    }

    private static int close(List<SqlToken> tokens, int open) {
        int depth = 0;
        for (int i = open; i < tokens.size(); i++) {
            depth += depth(tokens.get(i).word());
            if (depth == 0) {
                return i;
            }
        }
        return -1;
    }

    private static int open(List<SqlToken> tokens, int close) {
        int depth = 0;
        for (int i = close; i >= 0; i--) {
            depth -= depth(tokens.get(i).word());
            if (depth == 0) {
                return i;
            }
        }
        return -1;
    }

    private static int depth(String word) {
        return switch (word) {
            case "(", "[" -> 1;
            case ")", "]" -> -1;
            default -> 0;
        };
    }
}
