package petrichor.entities.gql;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import petrichor.base.NearestName;
import petrichor.entities.gql.Token.Kind;

/** Tokens with a position, and the lookahead operations that all parts of the grammar share. */
final class TokenStream {
    /** Reserved words; as names they need backquotes. */
    private static final Set<String> RESERVED =
            Set.of(
                    "AND",
                    "AGGREGATE",
                    "ASC",
                    "BY",
                    "CONTAINS",
                    "DESC",
                    "DISTINCT",
                    "FALSE",
                    "FROM",
                    "HAS",
                    "IN",
                    "IS",
                    "LIMIT",
                    "NOT",
                    "NULL",
                    "OFFSET",
                    "OR",
                    "ORDER",
                    "SELECT",
                    "TRUE",
                    "WHERE");

    private final List<Token> tokens;
    private int at;

    /** The keywords that were possible at {@link #triedAt}, for the error message. */
    private final Set<String> tried = new LinkedHashSet<>();

    private int triedAt;

    TokenStream(List<Token> tokens) {
        this.tokens = tokens;
    }

    Token peek() {
        return tokens.get(at);
    }

    /** The token at that distance, or the end. */
    Token peekAhead(int steps) {
        return tokens.get(Math.min(at + steps, tokens.size() - 1));
    }

    Token take() {
        Token token = tokens.get(at);
        if (token.kind() != Kind.END) {
            at++;
        }
        return token;
    }

    boolean takeWord(String keyword) {
        boolean matches = peek().isWord(keyword);
        if (matches) {
            at++;
        } else {
            if (triedAt != at) {
                tried.clear();
                triedAt = at;
            }
            tried.add(keyword);
        }
        return matches;
    }

    boolean takeSymbol(String symbol) {
        boolean matches = peek().isSymbol(symbol);
        if (matches) {
            at++;
        }
        return matches;
    }

    void requireWord(String keyword) {
        if (!takeWord(keyword)) {
            throw peek().expected(keyword);
        }
    }

    void requireSymbol(String symbol) {
        if (!takeSymbol(symbol)) {
            throw peek().expected(symbol);
        }
    }

    void requireEnd() {
        Token token = peek();
        if (token.kind() == Kind.END) {
            return;
        }
        if (triedAt != at || tried.isEmpty()) {
            throw token.expected("the end of the query");
        }
        String problem =
                "expected "
                        + String.join(", ", tried)
                        + " or the end of the query, found "
                        + token.shown();
        throw token.failure(
                NearestName.closeTo(token.upperCase(), tried)
                        .map(keyword -> problem + "; did you mean " + keyword + "?")
                        .orElse(problem));
    }

    String name(String what) {
        Token token = take();
        if (token.kind() == Kind.QUOTED_NAME) {
            return token.text();
        }
        if (token.kind() != Kind.WORD) {
            throw token.expected(what);
        }
        if (RESERVED.contains(token.upperCase())) {
            throw token.failure(
                    "expected "
                            + what
                            + ", found the word "
                            + token.text()
                            + "; if it is a name, put it into backquotes");
        }
        return token.text();
    }

    /** A dotted path names a property of an embedded entity. */
    String propertyName() {
        StringBuilder path = new StringBuilder(name("a property"));
        while (takeSymbol(".")) {
            path.append('.').append(name("the name of an embedded property"));
        }
        return path.toString();
    }

    /** Whether a property name comes next, not a value such as {@code NULL} or {@code KEY(…)}. */
    boolean startsProperty() {
        Token token = peek();
        return token.kind() == Kind.QUOTED_NAME
                || (token.kind() == Kind.WORD
                        && !RESERVED.contains(token.upperCase())
                        && !peekAhead(1).isSymbol("("));
    }
}
