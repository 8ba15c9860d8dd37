package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.sql.TextEdits.Edit;

/**
 * Functions that return rows, in FROM and in a select list. In FROM, the engine knows {@code
 * generate_series} and {@code unnest} of constants. The others, and those whose arguments are
 * columns of tables before them, are tables whose arguments are given by conditions. Those of a
 * select list move to the end of FROM.
 */
final class RowFunctionSyntax {
    private static final Set<String> FUNCTIONS =
            Set.of(
                    "GENERATE_SERIES",
                    "UNNEST",
                    "JSONB_ARRAY_ELEMENTS",
                    "JSON_ARRAY_ELEMENTS",
                    "JSONB_ARRAY_ELEMENTS_TEXT",
                    "JSON_ARRAY_ELEMENTS_TEXT",
                    "JSONB_EACH",
                    "JSON_EACH",
                    "JSONB_EACH_TEXT",
                    "JSON_EACH_TEXT",
                    "JSONB_OBJECT_KEYS",
                    "JSON_OBJECT_KEYS",
                    "REGEXP_SPLIT_TO_TABLE",
                    "STRING_TO_TABLE");

    /** Besides the ends of conditions, what follows a function in FROM that has no alias. */
    private static final Set<String> AFTER_SOURCE = Set.of("ON", "USING", "SET", ")", "");

    /** Where a condition in FROM or WHERE ends. */
    private static final Set<String> CONDITION_END =
            Set.of(
                    "WHERE",
                    "GROUP",
                    "HAVING",
                    "ORDER",
                    "LIMIT",
                    "OFFSET",
                    "UNION",
                    "EXCEPT",
                    "INTERSECT",
                    "WINDOW",
                    "FETCH",
                    "JOIN",
                    "CROSS",
                    "LEFT",
                    "RIGHT",
                    "INNER",
                    "FULL",
                    "NATURAL",
                    "FOR",
                    "RETURNING",
                    ",");

    private static final Set<String> JOINED =
            Set.of(",", "JOIN", "CROSS", "LEFT", "RIGHT", "INNER", "FULL", "NATURAL");

    private static final Set<String> AGGREGATES =
            Set.of(
                    "COUNT",
                    "SUM",
                    "AVG",
                    "MIN",
                    "MAX",
                    "ARRAY_AGG",
                    "STRING_AGG",
                    "BOOL_AND",
                    "BOOL_OR",
                    "OVER",
                    "GROUP",
                    "HAVING",
                    "DISTINCT",
                    "JSONB_AGG",
                    "JSON_AGG");

    private final String text;
    private final List<SqlToken> tokens;
    private final int at;
    private final int close;
    private final String function;

    private RowFunctionSyntax(String text, List<SqlToken> tokens, int at, int close) {
        this.text = text;
        this.tokens = tokens;
        this.at = at;
        this.close = close;
        this.function = tokens.get(at).word();
    }

    static @Nullable Edit edit(String text, List<SqlToken> tokens, int at) {
        boolean called =
                FUNCTIONS.contains(tokens.get(at).word())
                        && at + 1 < tokens.size()
                        && tokens.get(at + 1).word().equals("(")
                        && at > 0
                        && !tokens.get(at - 1).word().equals(".");
        int close = called ? NameSyntax.close(tokens, at + 1) : -1;
        if (close < 0) {
            return null;
        }
        RowFunctionSyntax syntax = new RowFunctionSyntax(text, tokens, at, close);
        String before = syntax.word(at - 1);
        boolean source =
                Set.of("FROM", "JOIN", "LATERAL").contains(before)
                        || (before.equals(",") && NameSyntax.clause(tokens, at).equals("FROM"));
        return source ? syntax.source() : syntax.selected();
    }

    private String word(int index) {
        return index >= 0 && index < tokens.size() ? tokens.get(index).word() : "";
    }

    private String text(int first, int last) {
        return text.substring(tokens.get(first).from(), tokens.get(last).to());
    }

    static int arguments(List<SqlToken> tokens, int open, int close) {
        return separators(tokens, open, close).size() + 1;
    }

    private static List<Integer> separators(List<SqlToken> tokens, int open, int close) {
        List<Integer> commas = new ArrayList<>();
        int brackets = 0;
        for (int i = open + 1; i < close; i++) {
            String word = tokens.get(i).word();
            brackets += word.equals("[") ? 1 : word.equals("]") ? -1 : 0;
            boolean separates =
                    brackets == 0 && tokens.get(i).depth() == tokens.get(open).depth() + 1;
            if (separates && word.equals(",")) {
                commas.add(i);
            }
        }
        return commas;
    }

    private List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        int start = at + 2;
        for (int comma : separators(tokens, at + 1, close)) {
            arguments.add(text(start, comma - 1));
            start = comma + 1;
        }
        if (start < close) {
            arguments.add(text(start, close - 1));
        }
        return arguments;
    }

    /** Whether the arguments may be columns, or the engine does not know the function. */
    private boolean needsTable() {
        boolean known = function.equals("GENERATE_SERIES") || function.equals("UNNEST");
        for (int i = at + 2; i < close && known; i++) {
            String word = word(i);
            if (word.equals("SELECT") || word.equals("VALUES")) {
                return false;
            }
            boolean type = word(i - 1).equals(":") || word(i - 1).equals("AS");
            boolean column =
                    NameSyntax.isName(word)
                            && !word(i + 1).equals("(")
                            && !type
                            && !Set.of("ARRAY", "NULL", "E").contains(word);
            if (column) {
                return true;
            }
        }
        return !known;
    }

    // ── in FROM ────────────────────────────────────────────────────────────

    private @Nullable Edit source() {
        boolean numbered = word(close + 1).equals("WITH") && word(close + 2).equals("ORDINALITY");
        int next = numbered ? close + 3 : close + 1;
        next = word(next).equals("AS") ? next + 1 : next;
        String alias = word(next);
        boolean ends = AFTER_SOURCE.contains(alias) || CONDITION_END.contains(alias);
        boolean aliased = NameSyntax.isName(alias) && !ends;
        if (!aliased && !ends) {
            return null;
        }
        String name = aliased ? text(next, next) : function.toLowerCase(Locale.ROOT);
        int end = aliased ? next : next - 1;
        boolean listed = aliased && word(next + 1).equals("(");
        List<String> arguments = arguments();
        boolean several = function.equals("UNNEST") && arguments.size() > 1;
        if (!numbered && !needsTable()) {
            return several || listed
                    ? null
                    : new Edit(
                            tokens.get(close).to(),
                            tokens.get(end).to(),
                            " AS " + name + "(" + name + ")");
        }
        List<String> columns = new ArrayList<>();
        if (listed) {
            int last = NameSyntax.close(tokens, next + 1);
            for (int i = next + 2; i < last; i += 2) {
                columns.add(text(i, i));
            }
            end = last;
        }
        return several || end < 0 ? null : table(numbered, name, columns, arguments, end);
    }

    private @Nullable Edit table(
            boolean numbered, String name, List<String> listed, List<String> arguments, int end) {
        RowSource table = RowSource.of(function, arguments, word -> argumentsHave(word));
        if (table == null) {
            return null;
        }
        List<String> columns = table.columns(name, listed);
        String reference =
                table.name()
                        + (numbered ? "_numbered" : "")
                        + " AS "
                        + name
                        + "("
                        + String.join(", ", columns)
                        + ")";
        String condition = table.condition(name);
        int first = word(at - 1).equals("LATERAL") ? at - 1 : at;
        List<Edit> edits =
                word(first - 1).equals("JOIN")
                        ? joined(first, end, reference, condition)
                        : listed(first, end, reference, condition);
        if (edits.isEmpty()) {
            return null;
        }
        String column = columns.getFirst();
        if (function.equals("UNNEST")) {
            String array = "(" + arguments.getFirst() + ")[" + name + "." + column + "]";
            String number = numbered ? ", " + name + "." + columns.get(1) : "";
            return references(edits, name, column, array, array + " AS " + column + number);
        }
        boolean whole = listed.isEmpty() && column.equals("value");
        return references(edits, name, whole ? "" : null, name + ".value", name + ".*");
    }

    /** In a list of tables, the condition belongs to WHERE. */
    private List<Edit> listed(int first, int end, String reference, String condition) {
        Edit source = Edit.tokens(tokens, first, end, reference);
        int where = conditionEnd(end + 1, true);
        if (!word(where).equals("WHERE")) {
            int place = tokens.get(where - 1).to();
            return List.of(source, new Edit(place, place, " WHERE " + condition));
        }
        int last = conditionEnd(where + 1, false) - 1;
        return List.of(source, before(where, condition), after(last));
    }

    private List<Edit> joined(int first, int end, String reference, String condition) {
        if (word(first - 2).equals("CROSS")) {
            String join = "JOIN " + reference + " ON " + condition;
            return List.of(Edit.tokens(tokens, first - 2, end, join));
        }
        if (!word(end + 1).equals("ON")) {
            return List.of();
        }
        int last = conditionEnd(end + 2, false) - 1;
        return List.of(
                Edit.tokens(tokens, first, end, reference),
                before(end + 1, condition),
                after(last));
    }

    private Edit before(int keyword, String condition) {
        int place = tokens.get(keyword).to();
        return new Edit(place, place, " " + condition + " AND (");
    }

    private Edit after(int last) {
        int place = tokens.get(last).to();
        return new Edit(place, place, ")");
    }

    /** The token after a condition; after FROM if it starts there. */
    private int conditionEnd(int start, boolean from) {
        int depth = tokens.get(at).depth();
        int i = start;
        while (i < tokens.size() && tokens.get(i).depth() >= depth) {
            boolean here = tokens.get(i).depth() == depth;
            boolean call = Set.of("LEFT", "RIGHT").contains(word(i)) && word(i + 1).equals("(");
            boolean inside = from && JOINED.contains(word(i));
            boolean end = CONDITION_END.contains(word(i)) && !call && !inside;
            if (here && (end || NameSyntax.isConflict(tokens, i))) {
                return i;
            }
            i++;
        }
        return i;
    }

    private boolean argumentsHave(String word) {
        return tokens.subList(at + 2, close).stream().anyMatch(t -> t.word().equals(word));
    }

    /**
     * The edits as one, with every reference to a column replaced: those of an unnested array are
     * its elements, at the positions that the table has; the only column may have the table's name.
     *
     * @param column empty for the table's name; null if none is replaced
     * @param all items for all columns of the table
     */
    private @Nullable Edit references(
            List<Edit> edits, String table, @Nullable String column, String by, String all) {
        int select = select();
        if (select < 0) {
            return null;
        }
        int depth = tokens.get(select).depth();
        StringBuilder replaced = new StringBuilder();
        int copied = tokens.get(select).from();
        int next = 0;
        int i = select + 1;
        while (i < tokens.size() && !endsSelect(i, depth)) {
            SqlToken token = tokens.get(i);
            while (next < edits.size() && edits.get(next).from() <= token.from()) {
                Edit edit = edits.get(next++);
                replaced.append(text, copied, edit.from()).append(edit.by());
                copied = edit.to();
            }
            if (NameSyntax.isColumnList(tokens, i)) {
                i = NameSyntax.close(tokens, i) + 1;
                continue;
            }
            boolean star =
                    word(i).equals("*") && Set.of("SELECT", ",", "DISTINCT").contains(word(i - 1));
            boolean sole = i == select + 1 && isSole(i + 2);
            if (star && column != null && !column.isEmpty() && token.depth() == depth && !sole) {
                return null;
            }
            int first = column == null || token.from() < copied ? -1 : reference(i, table, column);
            int rows = word(i).equals("*") && token.depth() == depth ? whole(i, table) : -1;
            if (rows >= 0 || (star && sole && token.depth() == depth)) {
                int start = Math.max(rows, select + 1);
                replaced.append(text, copied, tokens.get(start).from()).append(all);
                copied = token.to();
            } else if (first >= 0) {
                String name = column == null || column.isEmpty() ? table : column;
                replaced.append(text, copied, tokens.get(first).from())
                        .append(by)
                        .append(item(first, i, depth) ? " AS " + name : "");
                copied = token.to();
            }
            i++;
        }
        for (Edit edit : edits.subList(next, edits.size())) {
            replaced.append(text, copied, edit.from()).append(edit.by());
            copied = edit.to();
        }
        int end = Math.max(copied, tokens.get(i - 1).to());
        replaced.append(text, copied, end);
        return new Edit(tokens.get(select).from(), end, replaced.toString());
    }

    private boolean endsSelect(int index, int depth) {
        int inner = tokens.get(index).depth();
        return inner < depth || (inner == depth && NameSyntax.endsSelect(tokens, index));
    }

    /** Where the reference to a column that ends at a token starts; -1 if none does. */
    private int reference(int end, String table, String column) {
        boolean name =
                same(end, column.isEmpty() ? table : column)
                        && !Set.of("(", ".").contains(word(end + 1))
                        && !word(end - 1).equals("AS");
        if (!name) {
            return -1;
        }
        boolean qualified = word(end - 1).equals(".");
        if (!qualified) {
            return end;
        }
        return !column.isEmpty() && same(end - 2, table) && !word(end - 3).equals(".")
                ? end - 2
                : -1;
    }

    /** Where {@code table.*} that ends at a token starts; -1 if none does. */
    private int whole(int end, String table) {
        boolean whole = word(end - 1).equals(".") && same(end - 2, table);
        return whole && Set.of("SELECT", ",").contains(word(end - 3)) ? end - 2 : -1;
    }

    /** Whether the function is the only table of a FROM in front of a token. */
    private boolean isSole(int source) {
        int depth = tokens.get(at).depth();
        boolean sole = source == at;
        int end = conditionEnd(close, true);
        for (int i = at; i < end && sole; i++) {
            sole = tokens.get(i).depth() != depth || !JOINED.contains(word(i));
        }
        return sole;
    }

    /** Whether tokens are a whole item of the select list, without an alias. */
    private boolean item(int first, int last, int depth) {
        return tokens.get(last).depth() == depth
                && Set.of("SELECT", "DISTINCT", ",").contains(word(first - 1))
                && Set.of("FROM", ",").contains(word(last + 1))
                && NameSyntax.clause(tokens, last).equals("SELECT");
    }

    private boolean same(int index, String name) {
        return word(index).equalsIgnoreCase(name);
    }

    // ── in a select list ───────────────────────────────────────────────────

    /** The SELECT whose list or FROM the function is in; -1 if it is in another clause. */
    private int select() {
        int depth = tokens.get(at).depth();
        for (int i = at - 1; i >= 0; i--) {
            depth = Math.min(depth, tokens.get(i).depth());
            if (tokens.get(i).depth() == depth && word(i).equals("SELECT")) {
                return i;
            }
        }
        return -1;
    }

    private @Nullable Edit selected() {
        int select = select();
        int depth = select < 0 ? 0 : tokens.get(select).depth();
        int end = close + 1;
        boolean list = select >= 0 && !word(select + 1).equals("DISTINCT");
        for (int i = at - 1; i > select; i--) {
            list &= !(tokens.get(i).depth() == depth && NameSyntax.CLAUSES.contains(word(i)));
        }
        while (end < tokens.size() && !ends(end, depth)) {
            end++;
        }
        boolean aggregated =
                tokens.subList(Math.max(0, select), tokens.size()).stream()
                        .anyMatch(token -> AGGREGATES.contains(token.word()));
        if (!list || aggregated || !alone(select, end, depth)) {
            return null;
        }
        boolean from = word(end).equals("FROM") && tokens.get(end).depth() == depth;
        String name = function.toLowerCase(Locale.ROOT);
        String source = "rows_" + tokens.get(at).from();
        boolean item =
                tokens.get(at).depth() == depth
                        && Set.of("SELECT", ",").contains(word(at - 1))
                        && (close + 1 == end || word(close + 1).equals(","));
        String column = source + "." + name + (item ? " AS " + name : "");
        int last = end;
        while (from && last < tokens.size() && (last == end || !ends(last, depth))) {
            last++;
        }
        String between = text.substring(tokens.get(close).to(), tokens.get(last - 1).to());
        String added =
                (from ? ", " : " FROM ") + text(at, close) + " AS " + source + "(" + name + ")";
        return Edit.tokens(tokens, at, last - 1, column + between + added);
    }

    /** Whether a clause ends in front of a token. */
    private boolean ends(int index, int depth) {
        SqlToken token = tokens.get(index);
        boolean clause =
                token.word().equals("FOR")
                        || NameSyntax.isConflict(tokens, index)
                        || (NameSyntax.CLAUSES.contains(token.word())
                                && !token.word().equals("ON"));
        return token.depth() < depth || (token.depth() == depth && clause);
    }

    /** Whether no other row function is in the select list, whose rows go in step, and no star. */
    private boolean alone(int select, int end, int depth) {
        for (int i = select + 1; i < end; i++) {
            boolean rows = i != at && FUNCTIONS.contains(word(i)) && word(i + 1).equals("(");
            boolean star =
                    word(i).equals("*")
                            && tokens.get(i).depth() == depth
                            && Set.of("SELECT", "ALL", ",").contains(word(i - 1));
            if (rows || star) {
                return false;
            }
        }
        return true;
    }
}
