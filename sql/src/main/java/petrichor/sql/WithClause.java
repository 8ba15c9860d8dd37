package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * WITH before a change, or with changes inside: H2 knows it only before queries and inside them.
 * Immutable.
 *
 * @param main the statement after the clause
 */
record WithClause(boolean recursive, List<Member> members, String main) {

    /**
     * A common table expression.
     *
     * @param name as it is written
     * @param columns with parentheses, as they are written; empty if absent
     * @param changes whether it is an INSERT, UPDATE or DELETE, or a SELECT that locks rows
     */
    record Member(String name, String columns, String body, boolean changes) {
        String defined() {
            return name + columns + " AS (" + body + ")";
        }
    }

    private static final Set<String> CHANGES = Set.of("INSERT", "UPDATE", "DELETE", "MERGE");

    private static final Set<String> BEFORE_TABLE = Set.of("FROM", "JOIN", "USING");

    /** Keywords that may follow a table without an alias. */
    private static final Set<String> AFTER_TABLE =
            Set.of(
                    "WHERE",
                    "JOIN",
                    "LEFT",
                    "RIGHT",
                    "INNER",
                    "CROSS",
                    "NATURAL",
                    "FULL",
                    "ON",
                    "USING",
                    "GROUP",
                    "ORDER",
                    "HAVING",
                    "LIMIT",
                    "OFFSET",
                    "FETCH",
                    "UNION",
                    "EXCEPT",
                    "INTERSECT",
                    "RETURNING",
                    "WINDOW",
                    "FOR",
                    "SET");

    WithClause {
        members = List.copyOf(members);
    }

    /** Null if H2 understands the statement as it is, or if it is malformed. */
    static @Nullable WithClause parse(String text) {
        List<SqlToken> tokens = SqlToken.of(text);
        int at = 1;
        boolean recursive = word(tokens, at).equals("RECURSIVE");
        at += recursive ? 1 : 0;
        List<Member> members = new ArrayList<>();
        boolean changes = false;
        while (true) {
            SqlToken name = at < tokens.size() ? tokens.get(at) : null;
            if (name == null) {
                return null;
            }
            at++;
            String columns = "";
            if (word(tokens, at).equals("(")) {
                int close = close(tokens, at);
                if (close < 0) {
                    return null;
                }
                columns = text.substring(tokens.get(at).from(), tokens.get(close).to());
                at = close + 1;
            }
            if (!word(tokens, at).equals("AS")) {
                return null;
            }
            at++;
            at += word(tokens, at).equals("NOT") ? 1 : 0;
            at += word(tokens, at).equals("MATERIALIZED") ? 1 : 0;
            if (!word(tokens, at).equals("(")) {
                return null;
            }
            int close = close(tokens, at);
            if (close < 0) {
                return null;
            }
            String body = text.substring(tokens.get(at).to(), tokens.get(close).from());
            boolean change =
                    CHANGES.contains(word(tokens, at + 1)) || !LockingClause.of(body).isEmpty();
            changes |= change;
            members.add(new Member(text.substring(name.from(), name.to()), columns, body, change));
            at = close + 1;
            if (!word(tokens, at).equals(",")) {
                break;
            }
            at++;
        }
        if (at >= tokens.size() || (!changes && !CHANGES.contains(word(tokens, at)))) {
            return null;
        }
        return new WithClause(recursive, members, text.substring(tokens.get(at).from()));
    }

    private static String word(List<SqlToken> tokens, int index) {
        return index < tokens.size() ? tokens.get(index).word() : "";
    }

    /** -1 if it is not closed. */
    private static int close(List<SqlToken> tokens, int open) {
        for (int i = open + 1; i < tokens.size(); i++) {
            if (tokens.get(i).word().equals(")")
                    && tokens.get(i).depth() == tokens.get(open).depth()) {
                return i;
            }
        }
        return -1;
    }

    /** A statement with these definitions in front of it, or wherever it reads one of them. */
    String with(List<Member> defined, String statement) {
        if (defined.isEmpty()) {
            return statement;
        }
        StringBuilder clause = new StringBuilder(recursive ? "WITH RECURSIVE " : "WITH ");
        for (int i = 0; i < defined.size(); i++) {
            clause.append(i == 0 ? "" : ", ").append(defined.get(i).defined());
        }
        List<SqlToken> tokens = SqlToken.of(statement);
        String first = word(tokens, 0);
        if (!CHANGES.contains(first)) {
            return clause + " " + statement;
        }
        if (first.equals("INSERT")) {
            for (SqlToken token : tokens) {
                if (token.depth() == 0 && Set.of("SELECT", "VALUES").contains(token.word())) {
                    return statement.substring(0, token.from())
                            + clause
                            + " "
                            + statement.substring(token.from());
                }
            }
            return statement;
        }
        return inlined(defined, clause.toString(), tokens, statement);
    }

    private static String inlined(
            List<Member> defined, String clause, List<SqlToken> tokens, String statement) {
        StringBuilder rewritten = new StringBuilder();
        int copied = 0;
        for (int i = 1; i < tokens.size(); i++) {
            SqlToken token = tokens.get(i);
            boolean read =
                    BEFORE_TABLE.contains(tokens.get(i - 1).word())
                            && !word(tokens, i + 1).equals(".")
                            && !word(tokens, i + 1).equals("(");
            String name = statement.substring(token.from(), token.to());
            boolean known = read && defined.stream().anyMatch(m -> same(m.name(), name));
            if (known) {
                String next = word(tokens, i + 1);
                boolean aliased =
                        !next.isEmpty()
                                && !AFTER_TABLE.contains(next)
                                && (Character.isLetter(next.charAt(0))
                                        || next.charAt(0) == '"'
                                        || next.charAt(0) == '_');
                rewritten
                        .append(statement, copied, token.from())
                        .append('(')
                        .append(clause)
                        .append(" SELECT * FROM ")
                        .append(name)
                        .append(')')
                        .append(aliased ? "" : " AS " + name);
                copied = token.to();
            }
        }
        return rewritten.append(statement, copied, statement.length()).toString();
    }

    private static boolean same(String left, String right) {
        return SqlText.names(left).equals(SqlText.names(right));
    }
}
