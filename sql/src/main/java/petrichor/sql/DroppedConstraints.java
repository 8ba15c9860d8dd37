package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import petrichor.sql.catalog.ConstraintNames;
import petrichor.sql.h2.Definitions;

/**
 * ALTER TABLE … DROP CONSTRAINT and RENAME CONSTRAINT of constraints without a name of their own,
 * by the names that the system catalogs show.
 */
final class DroppedConstraints {
    private DroppedConstraints() {}

    /** The statement with the stored names. */
    static String stored(String text, Supplier<Definitions> definitions) {
        List<SqlToken> tokens = SqlToken.of(text);
        if (tokens.size() < 6 || !tokens.get(0).word().equals("ALTER")) {
            return text;
        }
        int at = 2;
        while (List.of("IF", "EXISTS", "ONLY").contains(tokens.get(at).word())) {
            at++;
        }
        int to = at;
        while (to + 2 < tokens.size() && tokens.get(to + 1).word().equals(".")) {
            to += 2;
        }
        List<String> table =
                SqlText.names(text.substring(tokens.get(at).from(), tokens.get(to).to()));
        List<SqlToken> names = new ArrayList<>();
        for (int i = to; i + 2 < tokens.size(); i++) {
            String verb = tokens.get(i).word();
            boolean found =
                    (verb.equals("DROP") || verb.equals("RENAME"))
                            && tokens.get(i + 1).word().equals("CONSTRAINT");
            if (found) {
                int name = tokens.get(i + 2).word().equals("IF") ? i + 4 : i + 2;
                if (name < tokens.size()) {
                    names.add(tokens.get(name));
                }
            }
        }
        if (names.isEmpty()) {
            return text;
        }
        StringBuilder rewritten = new StringBuilder();
        int copied = 0;
        for (SqlToken name : names) {
            String shown = SqlText.names(text.substring(name.from(), name.to())).getFirst();
            String known = ConstraintNames.stored(definitions.get(), table, shown);
            rewritten
                    .append(text, copied, name.from())
                    .append('"')
                    .append(known.replace("\"", "\"\""))
                    .append('"');
            copied = name.to();
        }
        return rewritten.append(text, copied, text.length()).toString();
    }
}
