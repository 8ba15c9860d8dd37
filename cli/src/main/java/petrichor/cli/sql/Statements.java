package petrichor.cli.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Splits lines into statements, which end with a semicolon outside quotes, comments and
 * parentheses, and the shell's commands, which start with a backslash and end with their line. It
 * replaces {@code :name}, {@code :'name'} (a literal) and {@code :"name"} (an identifier) by
 * variables, outside quotes and comments. Confined to one thread.
 */
final class Statements {
    /** A part of the input. */
    sealed interface Part {
        String text();
    }

    /** A statement without its semicolon. */
    record Sql(String text) implements Part {}

    /**
     * A command with its arguments, from its backslash.
     *
     * @param statement the text in front of it in the same statement; empty in most cases
     */
    record Command(String text, String statement) implements Part {}

    /** What ends the text that is read now. */
    enum Inside {
        NOTHING("-"),
        LITERAL("'"),
        IDENTIFIER("\""),
        DOLLARS("$"),
        COMMENT("*"),
        PARENTHESES("(");

        private final String prompt;

        Inside(String prompt) {
            this.prompt = prompt;
        }

        /** The character that marks it in a prompt. */
        String prompt() {
            return prompt;
        }
    }

    private final Map<String, String> variables;
    private final StringBuilder statement = new StringBuilder();
    private Inside inside = Inside.NOTHING;
    private boolean escapes;
    private String dollarTag = "";
    private int comments;
    private int parentheses;

    /**
     * @param variables read at each line
     */
    Statements(Map<String, String> variables) {
        this.variables = variables;
    }

    /** The parts that end with this line. */
    List<Part> line(String line) {
        List<Part> parts = new ArrayList<>();
        int at = 0;
        while (at < line.length()) {
            at = step(line, at, parts);
        }
        if (!isEmpty()) {
            statement.append('\n');
        }
        return parts;
    }

    /** The statement without a semicolon at the end of the input; null if there is none. */
    @Nullable Sql end() {
        String left = statement.toString().strip();
        clear();
        return left.isEmpty() || isComment(left) ? null : new Sql(left);
    }

    /** Drops the unfinished statement. */
    void clear() {
        statement.setLength(0);
        inside = Inside.NOTHING;
        comments = 0;
        parentheses = 0;
    }

    /** Whether no statement has started. */
    boolean isEmpty() {
        return statement.isEmpty();
    }

    /** What the unfinished statement is in. */
    Inside inside() {
        return inside == Inside.NOTHING && parentheses > 0 ? Inside.PARENTHESES : inside;
    }

    private static boolean isComment(String text) {
        return text.lines().allMatch(line -> line.isBlank() || line.strip().startsWith("--"));
    }

    /** Consumes a token or a character; the position behind it. */
    private int step(String line, int at, List<Part> parts) {
        return switch (inside) {
            case LITERAL -> quoted(line, at, '\'');
            case IDENTIFIER -> quoted(line, at, '"');
            case DOLLARS -> dollars(line, at);
            case COMMENT -> comment(line, at);
            case NOTHING, PARENTHESES -> plain(line, at, parts);
        };
    }

    private int quoted(String line, int at, char quote) {
        char c = line.charAt(at);
        statement.append(c);
        if (c == '\\' && escapes && at + 1 < line.length()) {
            statement.append(line.charAt(at + 1));
            return at + 2;
        }
        if (c == quote) {
            // A doubled quote opens the text again.
            inside = Inside.NOTHING;
        }
        return at + 1;
    }

    private int dollars(String line, int at) {
        if (line.startsWith(dollarTag, at)) {
            statement.append(dollarTag);
            inside = Inside.NOTHING;
            return at + dollarTag.length();
        }
        statement.append(line.charAt(at));
        return at + 1;
    }

    private int comment(String line, int at) {
        if (line.startsWith("*/", at)) {
            statement.append("*/");
            comments--;
            inside = comments == 0 ? Inside.NOTHING : Inside.COMMENT;
            return at + 2;
        }
        if (line.startsWith("/*", at)) {
            statement.append("/*");
            comments++;
            return at + 2;
        }
        statement.append(line.charAt(at));
        return at + 1;
    }

    private int plain(String line, int at, List<Part> parts) {
        char c = line.charAt(at);
        switch (c) {
            case '\'' -> {
                char before = at == 0 ? ' ' : Character.toUpperCase(line.charAt(at - 1));
                escapes = before == 'E' && !isWord(line, at - 2);
                open(Inside.LITERAL, c);
            }
            case '"' -> open(Inside.IDENTIFIER, c);
            case '$' -> {
                int end = line.indexOf('$', at + 1);
                String tag = end < 0 ? "" : line.substring(at, end + 1);
                if (isWord(line, at - 1) || !tag.matches("\\$([A-Za-z_]\\w*)?\\$")) {
                    statement.append(c);
                } else {
                    dollarTag = tag;
                    statement.append(tag);
                    inside = Inside.DOLLARS;
                    return end + 1;
                }
            }
            case '-' -> {
                if (line.startsWith("--", at)) {
                    if (!isEmpty()) {
                        statement.append(line, at, line.length());
                    }
                    return line.length();
                }
                statement.append(c);
            }
            case '/' -> {
                if (line.startsWith("/*", at)) {
                    statement.append("/*");
                    comments = 1;
                    inside = Inside.COMMENT;
                    return at + 2;
                }
                statement.append(c);
            }
            case '(' -> {
                parentheses++;
                statement.append(c);
            }
            case ')' -> {
                parentheses = Math.max(0, parentheses - 1);
                statement.append(c);
            }
            case ';' -> {
                if (parentheses > 0) {
                    statement.append(c);
                } else {
                    Sql done = end();
                    if (done != null) {
                        parts.add(done);
                    }
                }
            }
            case ':' -> {
                return variable(line, at);
            }
            case '\\' -> {
                String before = statement.toString().strip();
                clear();
                parts.add(new Command(line.substring(at).strip(), before));
                return line.length();
            }
            default -> {
                if (!isEmpty() || !Character.isWhitespace(c)) {
                    statement.append(c);
                }
            }
        }
        return at + 1;
    }

    private void open(Inside text, char quote) {
        inside = text;
        if (text == Inside.IDENTIFIER) {
            escapes = false;
        }
        statement.append(quote);
    }

    private static boolean isWord(String line, int at) {
        return at >= 0 && (Character.isLetterOrDigit(line.charAt(at)) || line.charAt(at) == '_');
    }

    /** A variable that is not set stays as it is; so does a cast. */
    private int variable(String line, int at) {
        if (line.startsWith("::", at)) {
            statement.append("::");
            return at + 2;
        }
        int from = at + 1;
        char quote = from < line.length() ? line.charAt(from) : ' ';
        boolean isQuoted = quote == '\'' || quote == '"';
        int start = isQuoted ? from + 1 : from;
        int end = start;
        while (end < line.length() && isWord(line, end)) {
            end++;
        }
        String value = start > line.length() ? null : variables.get(line.substring(start, end));
        boolean closed = !isQuoted || (end < line.length() && line.charAt(end) == quote);
        if (value == null || !closed) {
            statement.append(':');
            return at + 1;
        }
        if (isQuoted) {
            String text = Character.toString(quote);
            statement.append(text).append(value.replace(text, text + text)).append(text);
            return end + 1;
        }
        statement.append(value);
        return end;
    }
}
