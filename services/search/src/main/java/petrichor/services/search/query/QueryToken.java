package petrichor.services.search.query;

/**
 * A token of a query string.
 *
 * @param text for texts and phrases, without quotes and escapes
 * @param at position in the query
 */
record QueryToken(Kind kind, String text, int at) {
    enum Kind {
        TEXT,
        PHRASE,
        SPACE,
        AND,
        OR,
        NOT,
        MINUS,
        PLUS,
        TILDE,
        COMMA,
        OPEN,
        CLOSE,
        HAS,
        EQUAL,
        NOT_EQUAL,
        LESS,
        AT_MOST,
        GREATER,
        AT_LEAST,
        END
    }
}
