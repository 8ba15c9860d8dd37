package petrichor.sql;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** SELECT … INTO table: CREATE TABLE … AS in another form. */
final class SelectInto {
    private static final Set<String> BEFORE_NAME =
            Set.of("TEMPORARY", "TEMP", "LOCAL", "GLOBAL", "UNLOGGED", "TABLE");

    private SelectInto() {}

    /** The definition of the table; null if the statement is another one. */
    static @Nullable String created(String text, List<SqlToken> tokens) {
        if (!tokens.getFirst().word().equals("SELECT")) {
            return null;
        }
        int into = -1;
        for (int i = 1; i < tokens.size() && into < 0; i++) {
            SqlToken token = tokens.get(i);
            if (token.depth() == 0 && token.word().equals("FROM")) {
                return null;
            }
            if (token.depth() == 0 && token.word().equals("INTO")) {
                into = i;
            }
        }
        if (into < 0) {
            return null;
        }
        StringBuilder created = new StringBuilder("CREATE ");
        int at = into + 1;
        while (at < tokens.size() && BEFORE_NAME.contains(tokens.get(at).word())) {
            if (!tokens.get(at).word().equals("TABLE")) {
                created.append(tokens.get(at).word()).append(' ');
            }
            at++;
        }
        if (at >= tokens.size()) {
            throw new SqlException(SqlState.SYNTAX_ERROR, "syntax error at end of input");
        }
        int end = at;
        while (end + 2 < tokens.size() && tokens.get(end + 1).word().equals(".")) {
            end += 2;
        }
        return created.append("TABLE ")
                .append(text, tokens.get(at).from(), tokens.get(end).to())
                .append(" AS ")
                .append(text, 0, tokens.get(into).from())
                .append(text.substring(tokens.get(end).to()))
                .toString();
    }
}
