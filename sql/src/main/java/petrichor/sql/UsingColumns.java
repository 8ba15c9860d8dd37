package petrichor.sql;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.sql.TextEdits.Edit;

/**
 * Columns that {@code JOIN … USING} merges, which the engine finds ambiguous without the name of a
 * table: they get that of the table whose values the merged column has.
 */
final class UsingColumns {
    private static final Set<String> SET_OPERATIONS = Set.of("UNION", "EXCEPT", "INTERSECT");
    private static final Set<String> JOIN_WORDS =
            Set.of("JOIN", "INNER", "LEFT", "RIGHT", "OUTER", "CROSS", "FULL");

    private final String text;
    private final List<SqlToken> tokens;
    private final Map<Integer, Edit> edits = new HashMap<>();

    private UsingColumns(String text, List<SqlToken> tokens) {
        this.text = text;
        this.tokens = tokens;
    }

    static String known(String text, List<SqlToken> tokens) {
        boolean joins = tokens.stream().anyMatch(token -> token.word().equals("USING"));
        if (!joins) {
            return text;
        }
        UsingColumns columns = new UsingColumns(text, tokens);
        for (int i = 0; i < tokens.size(); i++) {
            if (tokens.get(i).word().equals("SELECT")) {
                columns.select(i);
            }
        }
        return TextEdits.apply(text, tokens, columns.edits::get);
    }

    private String word(int index) {
        return index >= 0 && index < tokens.size() ? tokens.get(index).word() : "";
    }

    private void select(int select) {
        int depth = tokens.get(select).depth();
        int end = select + 1;
        int from = -1;
        Map<String, String> tables = new HashMap<>();
        boolean single = true;
        while (end < tokens.size() && tokens.get(end).depth() >= depth && !ends(end, depth)) {
            boolean here = tokens.get(end).depth() == depth;
            if (here && word(end).equals("FROM") && from < 0) {
                from = end;
            } else if (here && from > 0 && word(end).equals(",")) {
                single = false;
            } else if (here && from > 0 && word(end).equals("USING") && word(end + 1).equals("(")) {
                merge(end, from, single, tables);
            }
            end++;
        }
        if (tables.isEmpty()) {
            return;
        }
        boolean combined = combined(select, depth) || SET_OPERATIONS.contains(word(end));
        qualify(select + 1, end, depth, combined, tables);
    }

    private boolean ends(int at, int depth) {
        return tokens.get(at).depth() == depth && NameSyntax.endsSelect(tokens, at);
    }

    /** Whether the SELECT is an operand of UNION, after which ORDER BY sorts all of them. */
    private boolean combined(int select, int depth) {
        for (int i = select - 1; i >= 0 && tokens.get(i).depth() >= depth; i--) {
            if (tokens.get(i).depth() == depth) {
                return SET_OPERATIONS.contains(word(i)) || word(i).equals("ALL");
            }
        }
        return false;
    }

    /** Notes the table of each column of a USING. */
    private void merge(int using, int from, boolean separate, Map<String, String> tables) {
        int depth = tokens.get(using).depth();
        int join = using;
        boolean first = separate;
        for (int i = using - 1; i > from; i--) {
            boolean joins = tokens.get(i).depth() == depth && word(i).equals("JOIN");
            if (joins && join == using) {
                join = i;
            } else if (joins) {
                first = false;
            }
        }
        String right = name(using - 1);
        int kind = join - 1;
        while (JOIN_WORDS.contains(word(kind))) {
            kind--;
        }
        String left = first ? name(kind) : null;
        boolean outer = word(join - 1).equals("OUTER");
        String type = word(outer ? join - 2 : join - 1);
        for (int i = using + 2; i < tokens.size() && !word(i - 1).equals(")"); i += 2) {
            String column = column(i);
            String table =
                    switch (type) {
                        case "LEFT" -> left;
                        case "RIGHT" -> right;
                        case "FULL" -> null;
                        default -> left == null ? right : left;
                    };
            boolean known = tables.containsKey(column) && !type.equals("RIGHT");
            if (!known && table != null) {
                tables.put(column, table);
            }
        }
    }

    /** The name of the table that ends at a token; null if it has none. */
    private @Nullable String name(int end) {
        int at = end;
        for (int i = end; word(end).equals(")") && i > 0; i--) {
            if (NameSyntax.isColumnList(tokens, i) && close(i) == end) {
                at = i - 1;
                break;
            }
        }
        String word = word(at);
        boolean name =
                !word.isEmpty()
                        && (Character.isLetter(word.charAt(0))
                                || word.charAt(0) == '_'
                                || word.charAt(0) == '"');
        return name ? text.substring(tokens.get(at).from(), tokens.get(at).to()) : null;
    }

    private String column(int at) {
        String word = word(at);
        return word.startsWith("\"")
                ? word.substring(1, word.length() - 1)
                : word.toLowerCase(Locale.ROOT);
    }

    private void qualify(
            int start, int end, int depth, boolean combined, Map<String, String> tables) {
        boolean ordered = false;
        for (int i = start; i < end; i++) {
            String word = word(i);
            ordered |= tokens.get(i).depth() == depth && word.equals("ORDER");
            if (word.equals("USING") || subquery(i) || NameSyntax.isColumnList(tokens, i)) {
                i = close(word.equals("(") ? i : i + 1);
                continue;
            }
            String table = tables.get(column(i));
            boolean renamed = ordered && (combined || aliased(start, i));
            if (table != null && !renamed && reference(i)) {
                edits.put(i, Edit.tokens(tokens, i, i, table + "." + text(i)));
            }
        }
    }

    private String text(int at) {
        return text.substring(tokens.get(at).from(), tokens.get(at).to());
    }

    private boolean subquery(int open) {
        return word(open).equals("(")
                && Set.of("SELECT", "WITH", "VALUES").contains(word(open + 1));
    }

    private int close(int open) {
        int at = open + 1;
        while (at < tokens.size() && tokens.get(at).depth() > tokens.get(open).depth()) {
            at++;
        }
        return at;
    }

    /** Whether a column of the result has this name, by which ORDER BY means it. */
    private boolean aliased(int start, int at) {
        for (int i = start; i < at; i++) {
            if (word(i).equals("AS") && column(i + 1).equals(column(at))) {
                return true;
            }
        }
        return false;
    }

    private boolean reference(int at) {
        String before = word(at - 1);
        String after = word(at + 1);
        boolean alias = before.equals("AS") || before.equals(")") || JsonSyntax.isOperand(before);
        boolean type = after.startsWith("'");
        boolean field = before.equals("(") && word(at - 2).equals("EXTRACT");
        return !alias
                && !type
                && !field
                && !before.equals(".")
                && !before.equals(":")
                && !after.equals(".")
                && !after.equals("(")
                && name(at) != null;
    }
}
