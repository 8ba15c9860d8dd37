package petrichor.services.search.expression;

import java.util.ArrayList;
import java.util.List;
import petrichor.base.PetrichorException;

/** Splits an expression into tokens. Confined to one thread. */
final class ExpressionLexer {
    private final String expression;
    private final List<Lexeme> lexemes = new ArrayList<>();
    private int at;

    enum Kind {
        NAME,
        NUMBER,
        PHRASE,
        SYMBOL,
        END
    }

    /**
     * @param text of a phrase, without quotes and escapes
     */
    record Lexeme(Kind kind, String text) {
        boolean is(String symbol) {
            return kind == Kind.SYMBOL && text.equals(symbol);
        }

        boolean word(String keyword) {
            return kind == Kind.NAME && text.equals(keyword);
        }
    }

    private ExpressionLexer(String expression) {
        this.expression = expression;
    }

    static List<Lexeme> lexemes(String expression) {
        ExpressionLexer lexer = new ExpressionLexer(expression);
        while (lexer.at < expression.length()) {
            lexer.take();
        }
        lexer.lexemes.add(new Lexeme(Kind.END, ""));
        return lexer.lexemes;
    }

    static PetrichorException error(String expression, String problem) {
        return PetrichorException.invalid(
                "Failed to parse the expression \"{expression}\": {problem}.",
                "expression",
                expression,
                "problem",
                problem);
    }

    private char peek(int ahead) {
        return at + ahead < expression.length() ? expression.charAt(at + ahead) : 0;
    }

    private void take() {
        char next = peek(0);
        if (next == ' ' || next == '\t' || next == '\n' || next == '\r') {
            at++;
        } else if (nameStart(next)) {
            int from = at;
            while (nameStart(peek(0)) || digit(peek(0))) {
                at++;
            }
            lexemes.add(new Lexeme(Kind.NAME, expression.substring(from, at)));
        } else if (digit(next) || (next == '.' && digit(peek(1)))) {
            takeNumber();
        } else if (next == '"') {
            takePhrase();
        } else {
            takeSymbol(next);
        }
    }

    private void takeNumber() {
        int from = at;
        skipDigits();
        if (peek(0) == '.') {
            at++;
            skipDigits();
        }
        if (peek(0) == 'e' || peek(0) == 'E') {
            int sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
            if (digit(peek(1 + sign))) {
                at += 1 + sign;
                skipDigits();
            }
        }
        lexemes.add(new Lexeme(Kind.NUMBER, expression.substring(from, at)));
    }

    private void skipDigits() {
        while (digit(peek(0))) {
            at++;
        }
    }

    private void takePhrase() {
        StringBuilder text = new StringBuilder();
        at++;
        while (peek(0) != '"') {
            if (at >= expression.length()) {
                throw error(expression, "a quotation mark is not closed");
            }
            if (peek(0) == '\\') {
                at++;
                text.append(
                        switch (peek(0)) {
                            case 'b' -> '\b';
                            case 't' -> '\t';
                            case 'n' -> '\n';
                            case 'f' -> '\f';
                            case 'r' -> '\r';
                            default -> peek(0);
                        });
            } else {
                text.append(peek(0));
            }
            at++;
        }
        at++;
        lexemes.add(new Lexeme(Kind.PHRASE, text.toString()));
    }

    private void takeSymbol(char next) {
        String two = peek(1) == '=' ? "" + next + '=' : "";
        if (two.equals("<=") || two.equals(">=") || two.equals("!=")) {
            lexemes.add(new Lexeme(Kind.SYMBOL, two));
            at += 2;
        } else if ("()[]+-*/<>=?,.".indexOf(next) >= 0) {
            lexemes.add(new Lexeme(Kind.SYMBOL, String.valueOf(next)));
            at++;
        } else {
            throw error(expression, "a character is not allowed");
        }
    }

    private static boolean nameStart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
    }

    private static boolean digit(char c) {
        return c >= '0' && c <= '9';
    }
}
