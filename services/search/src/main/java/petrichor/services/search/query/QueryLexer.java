package petrichor.services.search.query;

import java.util.ArrayList;
import java.util.List;
import petrichor.services.search.query.QueryToken.Kind;

/** Splits a query string into tokens. Confined to one thread. */
final class QueryLexer {
    private static final String ESCAPED = ",:=<>+~\"\\";

    private final String query;
    private final List<QueryToken> tokens = new ArrayList<>();
    private int at;

    private QueryLexer(String query) {
        this.query = query;
    }

    /** Ends with a token {@link Kind#END}. */
    static List<QueryToken> tokens(String query) {
        QueryLexer lexer = new QueryLexer(query);
        while (lexer.at < query.length()) {
            lexer.take();
        }
        lexer.tokens.add(new QueryToken(Kind.END, "", query.length()));
        return lexer.tokens;
    }

    private void take() {
        char next = query.charAt(at);
        switch (next) {
            case ' ', '\r', '\t', '\f', '\n' -> add(Kind.SPACE, 1);
            case '(' -> add(Kind.OPEN, 1);
            case ')' -> add(Kind.CLOSE, 1);
            case ',' -> add(Kind.COMMA, 1);
            case ':' -> add(Kind.HAS, 1);
            case '=' -> add(Kind.EQUAL, 1);
            case '<' -> add(followedBy('=') ? Kind.AT_MOST : Kind.LESS, followedBy('=') ? 2 : 1);
            case '>' ->
                    add(followedBy('=') ? Kind.AT_LEAST : Kind.GREATER, followedBy('=') ? 2 : 1);
            case '~' -> add(Kind.TILDE, 1);
            case '+' -> add(Kind.PLUS, 1);
            case '"' -> takePhrase();
            case '-' -> {
                if (at + 1 < query.length() && digit(query.charAt(at + 1))) {
                    takeText();
                } else {
                    add(Kind.MINUS, 1);
                }
            }
            case '!' -> {
                if (followedBy('=')) {
                    add(Kind.NOT_EQUAL, 2);
                } else {
                    takeText();
                }
            }
            default -> takeText();
        }
    }

    private boolean followedBy(char c) {
        return at + 1 < query.length() && query.charAt(at + 1) == c;
    }

    private void add(Kind kind, int chars) {
        tokens.add(new QueryToken(kind, query.substring(at, at + chars), at));
        at += chars;
    }

    private void takePhrase() {
        int from = at;
        at++;
        StringBuilder text = new StringBuilder();
        while (at < query.length() && query.charAt(at) != '"') {
            if (query.charAt(at) == '\\' && at + 1 < query.length()) {
                takeEscape(text);
            } else {
                text.append(query.charAt(at++));
            }
        }
        if (at == query.length()) {
            throw QueryParser.error(query, "the quotation mark is not closed", from);
        }
        at++;
        tokens.add(new QueryToken(Kind.PHRASE, text.toString(), from));
    }

    private void takeText() {
        int from = at;
        boolean plain = true;
        StringBuilder text = new StringBuilder();
        while (at < query.length() && continuesText(from)) {
            if (query.charAt(at) == '\\') {
                plain = false;
                takeEscape(text);
            } else {
                text.append(query.charAt(at++));
            }
        }
        if (at == from) {
            throw QueryParser.error(query, "this character needs quotation marks", from);
        }
        tokens.add(new QueryToken(kind(text.toString(), plain), text.toString(), from));
    }

    private static Kind kind(String text, boolean plain) {
        if (!plain) {
            return Kind.TEXT;
        }
        return switch (text) {
            case "AND" -> Kind.AND;
            case "OR" -> Kind.OR;
            case "NOT" -> Kind.NOT;
            default -> Kind.TEXT;
        };
    }

    private boolean continuesText(int from) {
        char next = query.charAt(at);
        return switch (next) {
            case '\\' -> escape();
            case '!' -> !followedBy('=');
            case '+', '-' -> at > from || next == '-';
            case '"', '(', ')', ',', ':', '<', '=', '>', '~' -> false;
            default -> next > ' ' && next != 0x7F && (next < 0x80 || next > 0xA0);
        };
    }

    /** Whether the backslash here starts an escape sequence. */
    private boolean escape() {
        if (at + 1 == query.length()) {
            return false;
        }
        char next = query.charAt(at + 1);
        return ESCAPED.indexOf(next) >= 0 || next == 'u' || (next >= '0' && next <= '7');
    }

    private void takeEscape(StringBuilder text) {
        char next = query.charAt(at + 1);
        if (next == 'u' && at + 6 <= query.length()) {
            int code = hexadecimal(query.substring(at + 2, at + 6));
            if (code >= 0) {
                text.append((char) code);
                at += 6;
                return;
            }
        }
        if (next >= '0' && next <= '7') {
            takeOctal(text);
            return;
        }
        if (ESCAPED.indexOf(next) < 0) {
            text.append('\\');
        }
        text.append(next);
        at += 2;
    }

    private void takeOctal(StringBuilder text) {
        int code = 0;
        int digitsMax = query.charAt(at + 1) <= '3' ? 3 : 2;
        at++;
        for (int i = 0; i < digitsMax && at < query.length(); i++) {
            char digit = query.charAt(at);
            if (digit < '0' || digit > '7') {
                break;
            }
            code = 8 * code + digit - '0';
            at++;
        }
        text.append((char) code);
    }

    /** Negative if these are not digits. */
    private static int hexadecimal(String digits) {
        int code = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = Character.digit(digits.charAt(i), 16);
            if (digit < 0) {
                return -1;
            }
            code = 16 * code + digit;
        }
        return code;
    }

    private static boolean digit(char c) {
        return c >= '0' && c <= '9';
    }
}
