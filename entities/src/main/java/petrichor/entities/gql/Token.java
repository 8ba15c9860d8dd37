package petrichor.entities.gql;

import java.util.Locale;
import petrichor.base.PetrichorException;

/**
 * A token of GQL text.
 *
 * @param text of a word as written; of a string, name or binding without its quotes or sign
 * @param line from 1
 * @param column from 1
 */
record Token(Kind kind, String text, int line, int column) {
    enum Kind {
        /** Unquoted: a keyword or a name. */
        WORD,
        /** In backquotes: always a name. */
        QUOTED_NAME,
        STRING,
        INTEGER,
        DOUBLE,
        BINDING,
        SYMBOL,
        END
    }

    boolean isWord(String keyword) {
        return kind == Kind.WORD && text.equalsIgnoreCase(keyword);
    }

    boolean isSymbol(String symbol) {
        return kind == Kind.SYMBOL && text.equals(symbol);
    }

    String upperCase() {
        return text.toUpperCase(Locale.ROOT);
    }

    String shown() {
        return switch (kind) {
            case WORD, INTEGER, DOUBLE, SYMBOL -> text;
            case QUOTED_NAME -> "`" + text + "`";
            case STRING -> "'" + text + "'";
            case BINDING -> "@" + text;
            case END -> "the end of the query";
        };
    }

    PetrichorException expected(String what) {
        return failure("expected " + what + ", found " + shown());
    }

    PetrichorException failure(String problem) {
        return failureAt(line, column, problem);
    }

    static PetrichorException failureAt(int line, int column, String problem) {
        String where = line == 1 ? "column " + column : "line " + line + ", column " + column;
        return PetrichorException.invalid(
                "GQL query, {position}: {problem}", "position", where, "problem", problem);
    }
}
