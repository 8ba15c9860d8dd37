package petrichor.entities.gql;

import java.util.ArrayList;
import java.util.List;
import petrichor.entities.gql.Token.Kind;

/** Splits GQL text into tokens. Confined to one thread. */
final class Lexer {
    private final String text;
    private final List<Token> tokens = new ArrayList<>();
    private int at;
    private int line = 1;
    private int lineStart;

    private Lexer(String text) {
        this.text = text;
    }

    /** The last one is an {@code END}. */
    static List<Token> tokens(String text) {
        Lexer lexer = new Lexer(text);
        while (lexer.at < text.length()) {
            lexer.step();
        }
        lexer.add(Kind.END, "", text.length());
        return lexer.tokens;
    }

    private void step() {
        char c = text.charAt(at);
        int start = at;
        if (c == '\n') {
            at++;
            line++;
            lineStart = at;
        } else if (Character.isWhitespace(c)) {
            at++;
        } else if (c == '\'' || c == '"') {
            add(Kind.STRING, quoted(c), start);
        } else if (c == '`') {
            String name = quoted(c);
            if (name.isEmpty()) {
                throw failure(start, "a name between backquotes must not be empty");
            }
            add(Kind.QUOTED_NAME, name, start);
        } else if (c == '@') {
            at++;
            String name = run(Lexer::isNamePart);
            if (name.isEmpty()) {
                throw failure(start, "expected the name or number of a binding after @");
            }
            add(Kind.BINDING, name, start);
        } else if (isDigit(c) || startsNumberAfterSign(at) || isFractionWithoutInteger(at)) {
            number();
        } else if (isNameStart(c)) {
            add(Kind.WORD, run(Lexer::isNamePart), start);
        } else {
            symbol();
        }
    }

    private void symbol() {
        int start = at;
        String two = text.substring(at, Math.min(at + 2, text.length()));
        if (two.equals("<=") || two.equals(">=") || two.equals("!=")) {
            at += 2;
            add(Kind.SYMBOL, two, start);
        } else if (two.equals("<>")) {
            at += 2;
            add(Kind.SYMBOL, "!=", start);
        } else if ("=<>(),*+.".indexOf(text.charAt(at)) >= 0) {
            at++;
            add(Kind.SYMBOL, two.substring(0, 1), start);
        } else {
            throw failure(start, "the character " + two.charAt(0) + " has no meaning here");
        }
    }

    private void number() {
        int start = at;
        if (text.charAt(at) == '-' || text.charAt(at) == '+') {
            at++;
        }
        run(Lexer::isDigit);
        boolean real = false;
        if (at < text.length() && text.charAt(at) == '.') {
            real = true;
            at++;
            run(Lexer::isDigit);
        }
        if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
            real = true;
            at++;
            if (at < text.length() && (text.charAt(at) == '-' || text.charAt(at) == '+')) {
                at++;
            }
            if (run(Lexer::isDigit).isEmpty()) {
                throw failure(start, "the exponent of the number has no digits");
            }
        }
        if (at < text.length() && isNamePart(text.charAt(at))) {
            throw failure(start, "a number must not run into a name");
        }
        add(real ? Kind.DOUBLE : Kind.INTEGER, text.substring(start, at), start);
    }

    /** A doubled quote denotes one quote, as does an escaped one. */
    private String quoted(char quote) {
        int start = at++;
        StringBuilder content = new StringBuilder();
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == quote) {
                if (at < text.length() && text.charAt(at) == quote) {
                    content.append(quote);
                    at++;
                } else {
                    return content.toString();
                }
            } else if (c == '\\' && at < text.length()) {
                content.append(unescaped(text.charAt(at++)));
            } else {
                content.append(c);
                if (c == '\n') {
                    line++;
                    lineStart = at;
                }
            }
        }
        throw failure(start, "the closing " + quote + " is missing");
    }

    private char unescaped(char c) {
        return switch (c) {
            case '0' -> '\0';
            case 'b' -> '\b';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'Z' -> (char) 0x1A;
            case '\\', '\'', '"', '`', '%', '_' -> c;
            default -> throw failure(at - 2, "\\" + c + " is not a known escape");
        };
    }

    private boolean startsNumberAfterSign(int index) {
        char c = text.charAt(index);
        if ((c != '-' && c != '+') || index + 1 >= text.length()) {
            return false;
        }
        boolean digits = isDigit(text.charAt(index + 1)) || isFractionWithoutInteger(index + 1);
        // OFFSET 5 +3: after an operand a plus is an operator.
        return digits && (c == '-' || !afterOperand());
    }

    private boolean afterOperand() {
        if (tokens.isEmpty()) {
            return false;
        }
        Kind last = tokens.getLast().kind();
        return last == Kind.INTEGER || last == Kind.BINDING;
    }

    private boolean isFractionWithoutInteger(int index) {
        boolean afterName =
                index > 0 && (isNamePart(text.charAt(index - 1)) || text.charAt(index - 1) == '`');
        return text.charAt(index) == '.'
                && !afterName
                && index + 1 < text.length()
                && isDigit(text.charAt(index + 1));
    }

    private interface CharTest {
        boolean matches(char c);
    }

    private String run(CharTest test) {
        int start = at;
        while (at < text.length() && test.matches(text.charAt(at))) {
            at++;
        }
        return text.substring(start, at);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isNameStart(char c) {
        return Character.isLetter(c) || c == '_' || c == '$';
    }

    private static boolean isNamePart(char c) {
        return isNameStart(c) || Character.isDigit(c);
    }

    private void add(Kind kind, String content, int start) {
        tokens.add(new Token(kind, content, line, Math.max(1, start - lineStart + 1)));
    }

    private RuntimeException failure(int start, String problem) {
        return Token.failureAt(line, Math.max(1, start - lineStart + 1), problem);
    }
}
