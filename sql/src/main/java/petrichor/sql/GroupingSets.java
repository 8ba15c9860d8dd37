package petrichor.sql;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.sql.TextEdits.Edit;

/**
 * {@code GROUP BY} with {@code GROUPING SETS}, {@code ROLLUP} and {@code CUBE}: a query per set,
 * whose rows are put together. An expression that a set does not group by is null there.
 */
final class GroupingSets {
    /** Of one GROUP BY; each reads the tables once. */
    private static final int SETS_MAX = 64;

    private static final Set<String> KINDS = Set.of("ROLLUP", "CUBE", "GROUPING");
    private static final Set<String> AFTER_GROUPS =
            Set.of(
                    "HAVING",
                    "WINDOW",
                    "ORDER",
                    "LIMIT",
                    "OFFSET",
                    "FETCH",
                    "FOR",
                    "UNION",
                    "EXCEPT",
                    "INTERSECT");

    /** Their arguments are rows before they are grouped. */
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
                    "EVERY",
                    "STDDEV",
                    "STDDEV_POP",
                    "STDDEV_SAMP",
                    "VARIANCE",
                    "VAR_POP",
                    "VAR_SAMP",
                    "JSON_AGG",
                    "JSONB_AGG",
                    "BIT_AND",
                    "BIT_OR",
                    "JSON_OBJECT_AGG",
                    "JSONB_OBJECT_AGG",
                    "ANY_VALUE",
                    "CORR",
                    "COVAR_POP",
                    "COVAR_SAMP",
                    "REGR_AVGX",
                    "REGR_AVGY",
                    "REGR_COUNT",
                    "REGR_INTERCEPT",
                    "REGR_R2",
                    "REGR_SLOPE",
                    "REGR_SXX",
                    "REGR_SXY",
                    "REGR_SYY",
                    "PERCENTILE_CONT",
                    "PERCENTILE_DISC",
                    "MODE",
                    "FILTER",
                    "GROUP");

    private final String text;
    private final List<SqlToken> tokens;
    private final int select;
    private final int group;
    private final int depth;

    private GroupingSets(String text, List<SqlToken> tokens, int select, int group) {
        this.text = text;
        this.tokens = tokens;
        this.select = select;
        this.group = group;
        this.depth = tokens.get(group).depth();
    }

    static String known(String text, List<SqlToken> tokens) {
        return TextEdits.apply(text, tokens, i -> edit(text, tokens, i));
    }

    private static @Nullable Edit edit(String text, List<SqlToken> tokens, int at) {
        if (!tokens.get(at).word().equals("SELECT")) {
            return null;
        }
        int depth = tokens.get(at).depth();
        for (int i = at + 1; i + 2 < tokens.size() && tokens.get(i).depth() >= depth; i++) {
            if (tokens.get(i).depth() != depth) {
                continue;
            }
            if (Set.of("UNION", "EXCEPT", "INTERSECT").contains(tokens.get(i).word())) {
                return null;
            }
            if (tokens.get(i).word().equals("GROUP") && tokens.get(i + 1).word().equals("BY")) {
                return new GroupingSets(text, tokens, at, i).edit();
            }
        }
        return null;
    }

    private String word(int index) {
        return index >= 0 && index < tokens.size() ? tokens.get(index).word() : "";
    }

    private String text(int first, int end) {
        return end <= first
                ? ""
                : text.substring(tokens.get(first).from(), tokens.get(end - 1).to());
    }

    private static SqlException unsupported(String what) {
        return new SqlException(
                SqlState.FEATURE_NOT_SUPPORTED, what + " with grouping sets: not supported");
    }

    /** The first token at this depth, from a position, that is one of these words. */
    private int find(int from, Set<String> words) {
        int i = from;
        while (i < tokens.size()
                && tokens.get(i).depth() >= depth
                && !(tokens.get(i).depth() == depth && words.contains(word(i)))) {
            i++;
        }
        return i;
    }

    private @Nullable Edit edit() {
        int end = find(group + 2, AFTER_GROUPS);
        boolean sets = false;
        for (int i = group + 2; i < end; i++) {
            boolean start = Set.of("BY", ",", "DISTINCT", "ALL").contains(word(i - 1));
            boolean called = word(i + 1).equals("(") || word(i + 1).equals("SETS");
            sets |= start && called && tokens.get(i).depth() == depth && KINDS.contains(word(i));
            sets |= start && word(i).equals("(") && word(i + 1).equals(")");
        }
        if (!sets) {
            return null;
        }
        int from = find(select + 1, Set.of("FROM"));
        boolean refused = word(group + 2).equals("DISTINCT") || word(select + 2).equals("ON");
        for (int i = select; i < from; i++) {
            refused |= word(i).equals("OVER") || word(i).equals("INTO");
        }
        if (refused || from >= group) {
            throw unsupported("DISTINCT ON, GROUP BY DISTINCT, INTO and window functions");
        }
        List<List<String>> grouped = product(group + 2, end);
        Set<String> all = new LinkedHashSet<>();
        grouped.forEach(all::addAll);
        int having = word(end).equals("HAVING") && at(end) ? end : -1;
        int rest = having < 0 ? end : find(end + 1, AFTER_GROUPS);
        if (word(rest).equals("WINDOW")) {
            throw unsupported("WINDOW");
        }
        boolean distinct = word(select + 1).equals("DISTINCT");
        List<String> queries = new ArrayList<>();
        long length = 0;
        for (List<String> set : grouped) {
            List<String> missing = new ArrayList<>(all);
            missing.removeIf(expression -> set.stream().anyMatch(e -> same(e, expression)));
            StringBuilder query = new StringBuilder("SELECT ");
            int first = distinct || word(select + 1).equals("ALL") ? select + 2 : select + 1;
            query.append(items(first, from, missing)).append(' ').append(text(from, group));
            if (!set.isEmpty()) {
                query.append(" GROUP BY ").append(String.join(", ", set));
            }
            if (having >= 0) {
                query.append(" HAVING ").append(replaced(having + 1, rest, missing));
            } else if (set.isEmpty()) {
                query.append(" HAVING TRUE");
            }
            length += query.length();
            StatementText.requireLength(length, text.length());
            queries.add(query.toString());
        }
        String union = String.join(distinct ? " UNION " : " UNION ALL ", queries);
        boolean operand = operand(rest);
        int last = rest;
        String order = "";
        if (!operand && word(rest).equals("ORDER") && at(rest)) {
            last = find(rest + 1, Set.of("LIMIT", "OFFSET", "FETCH", "FOR"));
            order = " ORDER BY " + order(rest + 2, last, from);
        }
        String by = operand ? "(" + union + ")" : union + order;
        return new Edit(tokens.get(select).from(), tokens.get(last - 1).to(), by);
    }

    private boolean at(int index) {
        return index < tokens.size() && tokens.get(index).depth() == depth;
    }

    /** Whether this SELECT is one of UNION, after which ORDER BY belongs to all. */
    private boolean operand(int rest) {
        String before = word(select - 1);
        return Set.of("UNION", "EXCEPT", "INTERSECT", "ALL").contains(before)
                || (at(rest) && Set.of("UNION", "EXCEPT", "INTERSECT").contains(word(rest)));
    }

    // ── sets ───────────────────────────────────────────────────────────────

    /** The sets of a list, which are combined with each other. */
    private List<List<String>> product(int from, int end) {
        List<List<String>> sets = List.of(List.of());
        for (int[] item : items(from, end)) {
            List<List<String>> combined = new ArrayList<>();
            for (List<String> left : sets) {
                for (List<String> right : element(item[0], item[1])) {
                    LinkedHashSet<String> set = new LinkedHashSet<>(left);
                    set.addAll(right);
                    combined.add(List.copyOf(set));
                }
            }
            sets = limited(combined);
        }
        return sets;
    }

    private static List<List<String>> limited(List<List<String>> sets) {
        if (sets.size() > SETS_MAX) {
            throw new SqlException(
                    SqlState.PROGRAM_LIMIT_EXCEEDED,
                    "a GROUP BY has at most " + SETS_MAX + " grouping sets");
        }
        return sets;
    }

    /** Items between commas, as first token and end. */
    private List<int[]> items(int from, int end) {
        List<int[]> items = new ArrayList<>();
        int start = from;
        int inner = from < end ? tokens.get(from).depth() : 0;
        int brackets = 0;
        for (int i = from; i <= end; i++) {
            brackets += word(i).equals("[") ? 1 : word(i).equals("]") ? -1 : 0;
            boolean comma =
                    i < end
                            && brackets == 0
                            && word(i).equals(",")
                            && tokens.get(i).depth() == inner;
            if ((comma || i == end) && i > start) {
                items.add(new int[] {start, i});
                start = i + 1;
            }
        }
        return items;
    }

    private List<List<String>> element(int from, int end) {
        boolean list = word(end - 1).equals(")");
        switch (word(from)) {
            case "ROLLUP" -> {
                List<List<String>> parts = parts(from + 2, end - 1);
                List<List<String>> sets = new ArrayList<>();
                for (int i = parts.size(); i >= 0; i--) {
                    sets.add(joined(parts.subList(0, i)));
                }
                return limited(sets);
            }
            case "CUBE" -> {
                List<List<String>> parts = parts(from + 2, end - 1);
                if (parts.size() > 6) {
                    return limited(java.util.Collections.nCopies(SETS_MAX + 1, List.of()));
                }
                List<List<String>> sets = new ArrayList<>();
                for (int bits = (1 << parts.size()) - 1; bits >= 0; bits--) {
                    List<List<String>> chosen = new ArrayList<>();
                    for (int i = 0; i < parts.size(); i++) {
                        if ((bits >> (parts.size() - 1 - i) & 1) != 0) {
                            chosen.add(parts.get(i));
                        }
                    }
                    sets.add(joined(chosen));
                }
                return sets;
            }
            case "GROUPING" -> {
                List<List<String>> sets = new ArrayList<>();
                for (int[] item : items(from + 3, end - 1)) {
                    sets.addAll(element(item[0], item[1]));
                }
                return limited(sets);
            }
            case "(" -> {
                if (list && close(from) == end - 1) {
                    return List.of(joined(parts(from + 1, end - 1)));
                }
            }
            default -> {
                // An expression.
            }
        }
        return List.of(List.of(expression(from, end)));
    }

    private int close(int open) {
        int at = open + 1;
        while (at < tokens.size() && tokens.get(at).depth() > tokens.get(open).depth()) {
            at++;
        }
        return at;
    }

    /** Each item as the expressions that it puts together. */
    private List<List<String>> parts(int from, int end) {
        List<List<String>> parts = new ArrayList<>();
        for (int[] item : items(from, end)) {
            parts.addAll(element(item[0], item[1]));
        }
        return parts;
    }

    private static List<String> joined(List<List<String>> parts) {
        LinkedHashSet<String> all = new LinkedHashSet<>();
        parts.forEach(all::addAll);
        return List.copyOf(all);
    }

    /** A number is an item of the select list. */
    private String expression(int from, int end) {
        if (end != from + 1 || !word(from).matches("[0-9]{1,4}")) {
            return text(from, end);
        }
        List<int[]> items = items(select + 1, find(select + 1, Set.of("FROM")));
        int number = Integer.parseInt(word(from));
        if (number < 1 || number > items.size()) {
            throw new SqlException(
                    SqlState.INVALID_REFERENCE,
                    "GROUP BY position " + number + " is not in select list");
        }
        int[] item = items.get(number - 1);
        return text(item[0], item[0] + unnamed(item));
    }

    /** Tokens of an item without its alias. */
    private int unnamed(int[] item) {
        int length = item[1] - item[0];
        return length > 2 && word(item[1] - 2).equals("AS") ? length - 2 : length;
    }

    // ── a query ────────────────────────────────────────────────────────────

    private String items(int from, int end, List<String> missing) {
        List<String> written = new ArrayList<>();
        for (int[] item : items(from, end)) {
            String expression = replaced(item[0], item[1], missing);
            boolean column = NameSyntax.isName(word(item[1] - 1));
            for (int i = item[0] + 1; i < item[1]; i += 2) {
                column &= word(i).equals(".");
            }
            written.add(column ? expression + " AS " + text(item[1] - 1, item[1]) : expression);
        }
        return String.join(", ", written);
    }

    /** Tokens with the expressions that are not grouped as nulls, and {@code grouping(…)}. */
    private String replaced(int from, int end, List<String> missing) {
        StringBuilder replaced = new StringBuilder();
        int copied = from < end ? tokens.get(from).from() : 0;
        for (int i = from; i < end; i++) {
            boolean called = word(i + 1).equals("(");
            boolean query = Set.of("SELECT", "WITH", "VALUES").contains(word(i + 1));
            if (query && word(i).equals("(")) {
                i = close(i);
                continue;
            }
            int next = i;
            String by = "";
            if (called && word(i).equals("GROUPING")) {
                next = close(i + 1) + 1;
                by = grouping(i + 2, next - 1, missing);
            } else if (called && AGGREGATES.contains(word(i))) {
                i = close(i + 1);
                continue;
            } else if (!word(i - 1).equals(".") && !word(i - 1).equals("AS")) {
                for (String expression : missing) {
                    int matched = match(i, end, expression);
                    if (matched > next) {
                        next = matched;
                        by = "NULLIF(MAX(" + expression + "), MAX(" + expression + "))";
                    }
                }
            }
            if (next > i) {
                replaced.append(text, copied, tokens.get(i).from()).append(by);
                copied = tokens.get(next - 1).to();
                i = next - 1;
            }
        }
        return from < end ? replaced.append(text, copied, tokens.get(end - 1).to()).toString() : "";
    }

    /** A bit per argument, which is 1 if it is not grouped. */
    private String grouping(int from, int end, List<String> missing) {
        int bits = 0;
        for (int[] item : items(from, end)) {
            boolean absent = false;
            for (String expression : missing) {
                absent |= match(item[0], item[1], expression) == item[1];
            }
            bits = bits * 2 + (absent ? 1 : 0);
        }
        return Integer.toString(bits);
    }

    /** The token after an expression that starts at a token; -1 if another one does. */
    private int match(int at, int end, String expression) {
        List<SqlToken> wanted = SqlToken.of(expression);
        int matched = same(at, end, wanted);
        if (matched >= 0 || wanted.isEmpty()) {
            return matched;
        }
        boolean name = NameSyntax.isName(wanted.getLast().word());
        if (name && wanted.size() == 3 && wanted.get(1).word().equals(".")) {
            return word(at + 1).equals(".") ? -1 : same(at, end, wanted.subList(2, 3));
        }
        boolean qualified = name && wanted.size() == 1 && word(at + 1).equals(".");
        return qualified ? same(at + 2, end, wanted) : -1;
    }

    /** Whether expressions are the same, or the same column with and without its table. */
    private static boolean same(String first, String second) {
        List<String> one = SqlToken.of(first).stream().map(SqlToken::word).toList();
        List<String> other = SqlToken.of(second).stream().map(SqlToken::word).toList();
        return one.equals(other) || isQualified(one, other) || isQualified(other, one);
    }

    private static boolean isQualified(List<String> column, List<String> name) {
        return name.size() == 1
                && column.size() == 3
                && column.get(1).equals(".")
                && column.get(2).equals(name.getFirst());
    }

    private int same(int at, int end, List<SqlToken> wanted) {
        for (int i = 0; i < wanted.size(); i++) {
            if (at + i >= end || !word(at + i).equals(wanted.get(i).word())) {
                return -1;
            }
        }
        int next = at + wanted.size();
        boolean longer = word(next).equals(".") || word(next).equals("(");
        return longer && NameSyntax.isName(wanted.getLast().word()) ? -1 : next;
    }

    /** ORDER BY of the rows of all sets: names and positions of items, and items themselves. */
    private String order(int from, int end, int list) {
        List<int[]> items = items(select + 1, list);
        List<String> order = new ArrayList<>();
        for (int[] key : items(from, end)) {
            int last = key[1];
            while (last > key[0] + 1
                    && Set.of("ASC", "DESC", "NULLS", "FIRST", "LAST").contains(word(last - 1))) {
                last--;
            }
            String expression = text(key[0], last);
            int position = expression.matches("[0-9]+") ? 0 : -1;
            for (int i = 0; i < items.size() && position < 0; i++) {
                int[] item = items.get(i);
                int start =
                        Set.of("DISTINCT", "ALL").contains(word(item[0])) ? item[0] + 1 : item[0];
                boolean same =
                        match(start, item[0] + unnamed(item), expression)
                                == item[0] + unnamed(item);
                boolean alias =
                        word(item[1] - 2).equals("AS")
                                && last == key[0] + 1
                                && word(item[1] - 1).equals(word(key[0]));
                position = same || alias ? i + 1 : -1;
            }
            if (position < 0) {
                throw unsupported("ORDER BY of an expression that is not in the select list");
            }
            order.add((position == 0 ? expression : "" + position) + " " + text(last, key[1]));
        }
        return String.join(", ", order);
    }
}
