package petrichor.sql;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.transactions.LockStrength;

/**
 * FOR UPDATE, FOR NO KEY UPDATE, FOR SHARE or FOR KEY SHARE of one SELECT. In the text for H2 it is
 * {@code FOR UPDATE OF tables WAIT number}; the number identifies the clause, and H2 passes it with
 * each row to be locked.
 *
 * @param tables names of the tables whose rows are locked; empty for all
 * @param order how to lock in the order of the result; null if rows are locked as they are found
 */
public record LockingClause(
        int number,
        LockStrength strength,
        WaitPolicy policy,
        List<String> tables,
        @Nullable LimitedOrder order) {
    private static final Set<String> LIMITS = Set.of("LIMIT", "OFFSET", "FETCH");
    private static final Set<String> NO_NAMES = Set.of("FROM", "JOIN", ",", "(", ".", "ONLY");

    /** The variable that holds the number of the match whose values are computed. */
    public static final String MATCH = "petrichor_match";

    /** What to do about a row that others have locked. */
    public enum WaitPolicy {
        WAIT,
        NOWAIT,
        SKIP
    }

    /**
     * A SELECT that sorts more rows than it returns: as in PostgreSQL, only those that it returns
     * are locked.
     *
     * @param query the SELECT without limits, with {@link #MATCH} as its last column
     * @param limit an expression; null for none
     * @param offset an expression; null for none
     */
    public record LimitedOrder(String query, @Nullable String limit, @Nullable String offset) {}

    public LockingClause {
        tables = List.copyOf(tables);
    }

    public boolean locks(String table) {
        return tables.isEmpty() || tables.stream().anyMatch(table::equalsIgnoreCase);
    }

    /** In the text for H2, after FOR UPDATE and its tables. */
    static String marker(int ordinal, LockStrength strength, WaitPolicy policy) {
        int waits =
                switch (policy) {
                    case WAIT -> 0;
                    case NOWAIT -> 1;
                    case SKIP -> 2;
                };
        return " WAIT " + (ordinal * 6 + waits * 2 + (strength == LockStrength.SHARED ? 0 : 1));
    }

    private static WaitPolicy policy(int code) {
        return switch (code / 2) {
            case 0 -> WaitPolicy.WAIT;
            case 1 -> WaitPolicy.NOWAIT;
            default -> WaitPolicy.SKIP;
        };
    }

    /** The clauses of a text for H2. */
    public static List<LockingClause> of(String text) {
        String upper = text.toUpperCase(Locale.ROOT);
        if (!upper.contains("UPDATE") || !upper.contains("WAIT")) {
            return List.of();
        }
        List<SqlToken> tokens = SqlToken.of(text);
        List<LockingClause> clauses = new ArrayList<>();
        for (int i = 0; i + 1 < tokens.size(); i++) {
            if (word(tokens, i).equals("FOR") && word(tokens, i + 1).equals("UPDATE")) {
                int wait = i + 2;
                List<String> names = new ArrayList<>();
                if (word(tokens, wait).equals("OF")) {
                    wait++;
                    while (wait < tokens.size() && !word(tokens, wait).equals("WAIT")) {
                        if (!Set.of(",", ".").contains(word(tokens, wait + 1))
                                || word(tokens, wait + 1).equals(",")) {
                            names.add(word(tokens, wait));
                        }
                        wait++;
                        if (Set.of(",", ".").contains(word(tokens, wait))) {
                            wait++;
                        }
                    }
                }
                String number = word(tokens, wait + 1);
                if (!word(tokens, wait).equals("WAIT") || !number.matches("[0-9]{1,6}")) {
                    throw new SqlException(
                            SqlState.SYNTAX_ERROR, "syntax error at or near \"FOR UPDATE\"");
                }
                clauses.add(of(text, tokens, i, wait + 1, names));
            }
        }
        return clauses;
    }

    private static LockingClause of(
            String text, List<SqlToken> tokens, int at, int last, List<String> names) {
        int number = Integer.parseInt(word(tokens, last));
        int code = number % 6;
        int select = select(tokens, at);
        List<String> tables = new ArrayList<>();
        for (String name : names) {
            tables.add(table(tokens, select, at, name));
        }
        return new LockingClause(
                number,
                code % 2 == 0 ? LockStrength.SHARED : LockStrength.EXCLUSIVE,
                policy(code),
                tables,
                order(text, tokens, select, at, last));
    }

    /** The SELECT to which a clause belongs. */
    private static int select(List<SqlToken> tokens, int at) {
        int depth = tokens.get(at).depth();
        for (int i = at - 1; i >= 0 && tokens.get(i).depth() >= depth; i--) {
            if (tokens.get(i).depth() == depth && word(tokens, i).equals("SELECT")) {
                return i;
            }
        }
        throw new SqlException(SqlState.SYNTAX_ERROR, "syntax error at or near \"FOR UPDATE\"");
    }

    /** The table with this name or alias. */
    private static String table(List<SqlToken> tokens, int from, int to, String name) {
        String plain = unquoted(name);
        for (int i = from + 1; i < to; i++) {
            if (!unquoted(word(tokens, i)).equalsIgnoreCase(plain)) {
                continue;
            }
            int before = word(tokens, i - 1).equals("AS") ? i - 2 : i - 1;
            if (NO_NAMES.contains(word(tokens, before))) {
                if (Set.of("FROM", "JOIN", ",", "ONLY").contains(word(tokens, before))
                        || before == i - 1) {
                    boolean column = word(tokens, i + 1).equals(".");
                    if (!column && after(tokens, from, i, "FROM")) {
                        return plain;
                    }
                }
                continue;
            }
            boolean alias = after(tokens, from, before, "FROM") && isName(word(tokens, before));
            if (alias) {
                return unquoted(word(tokens, before));
            }
        }
        throw new SqlException(
                SqlState.UNDEFINED_TABLE,
                "relation \"" + plain + "\" in FOR UPDATE clause not found in FROM clause");
    }

    private static boolean after(List<SqlToken> tokens, int from, int at, String keyword) {
        for (int i = from; i < at; i++) {
            if (word(tokens, i).equals(keyword)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isName(String word) {
        return !word.isEmpty()
                && (word.charAt(0) == '"' || Character.isUnicodeIdentifierStart(word.charAt(0)));
    }

    private static String unquoted(String word) {
        return word.length() > 1 && word.charAt(0) == '"'
                ? word.substring(1, word.length() - 1).replace("\"\"", "\"")
                : word;
    }

    private static @Nullable LimitedOrder order(
            String text, List<SqlToken> tokens, int select, int at, int last) {
        int depth = tokens.get(at).depth();
        int from = -1;
        int sorted = -1;
        int limited = -1;
        String limit = null;
        String offset = null;
        for (int i = select + 1; i < at; i++) {
            if (tokens.get(i).depth() != depth) {
                continue;
            }
            String word = word(tokens, i);
            if (word.equals("FROM") && from < 0) {
                from = i;
            } else if (word.equals("ORDER") && from > 0) {
                sorted = i;
            } else if (LIMITS.contains(word) && sorted > 0) {
                limited = limited < 0 ? i : limited;
                String value = value(text, tokens, i, at);
                if (word.equals("OFFSET")) {
                    offset = value;
                } else {
                    limit = value.equalsIgnoreCase("ALL") ? null : value;
                }
            }
        }
        if (limited < 0 || (limit == null && offset == null) || repeats(tokens, from, sorted)) {
            return null;
        }
        boolean whole = select > 0 && depth == 0 && word(tokens, 0).equals("WITH");
        int start = whole ? tokens.getFirst().from() : tokens.get(select).from();
        String query =
                text.substring(start, tokens.get(from).from())
                        + ", @"
                        + MATCH
                        + " "
                        + text.substring(tokens.get(from).from(), tokens.get(limited).from())
                        + text.substring(tokens.get(at).from(), tokens.get(last).to());
        return new LimitedOrder(query, limit, offset);
    }

    /** The expression after LIMIT, OFFSET or FETCH. */
    private static String value(String text, List<SqlToken> tokens, int at, int end) {
        int first = at + 1;
        if (word(tokens, at).equals("FETCH")) {
            first++; // FIRST or NEXT
        }
        int next = first;
        while (next < end
                && !LIMITS.contains(word(tokens, next))
                && !Set.of("ROW", "ROWS", "ONLY").contains(word(tokens, next))) {
            next++;
        }
        return next == first
                ? "1"
                : text.substring(tokens.get(first).from(), tokens.get(next - 1).to());
    }

    /** Whether a table occurs twice, so that its name does not identify a row of a match. */
    private static boolean repeats(List<SqlToken> tokens, int from, int to) {
        Set<String> names = new HashSet<>();
        for (int i = from; i < to; i++) {
            if (Set.of("FROM", "JOIN", ",").contains(word(tokens, i))) {
                int name = i + 1;
                while (word(tokens, name + 1).equals(".")) {
                    name += 2;
                }
                if (isName(word(tokens, name))
                        && !names.add(unquoted(word(tokens, name)).toLowerCase(Locale.ROOT))) {
                    return true;
                }
            }
        }
        return false;
    }

    private static String word(List<SqlToken> tokens, int index) {
        return index >= 0 && index < tokens.size() ? tokens.get(index).word() : "";
    }
}
