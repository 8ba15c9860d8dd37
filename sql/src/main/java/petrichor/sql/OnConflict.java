package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ON CONFLICT clause of an INSERT. Immutable.
 *
 * @param table as it is written
 * @param alias of the table in the expressions, as it is written
 * @param update null for DO NOTHING
 */
public record OnConflict(String table, String alias, Arbiter arbiter, @Nullable Update update) {

    /** Which unique index finds the row that exists. */
    public sealed interface Arbiter {
        /** Each of the table's. */
        record Any() implements Arbiter {}

        /** The one over exactly these columns, in any order. */
        record Columns(List<String> names) implements Arbiter {
            public Columns {
                names = List.copyOf(names);
            }
        }

        record Constraint(String name) implements Arbiter {}
    }

    /**
     * Of a column of the row that exists.
     *
     * @param expression null for DEFAULT
     */
    public record Assignment(String column, @Nullable String expression) {}

    /**
     * DO UPDATE.
     *
     * @param condition of WHERE; null if there is none
     */
    public record Update(List<Assignment> assignments, @Nullable String condition) {
        public Update {
            assignments = List.copyOf(assignments);
        }
    }

    /** The clause of an INSERT without RETURNING, and the INSERT as H2 knows it. */
    record Parsed(String insert, @Nullable OnConflict clause) {}

    static Parsed parse(String text) {
        List<SqlToken> tokens = SqlToken.of(text);
        for (int i = 0; i + 1 < tokens.size(); i++) {
            boolean found =
                    tokens.get(i).depth() == 0
                            && tokens.get(i).word().equals("ON")
                            && tokens.get(i + 1).word().equals("CONFLICT");
            if (found) {
                return new Reader(text, tokens, i).read();
            }
        }
        return new Parsed(text, null);
    }

    /** Reads one clause. Confined to one thread. */
    private static final class Reader {
        private final String text;
        private final List<SqlToken> tokens;
        private final int clause;
        private int at;

        Reader(String text, List<SqlToken> tokens, int clause) {
            this.text = text;
            this.tokens = tokens;
            this.clause = clause;
        }

        Parsed read() {
            at = 2;
            int nameFrom = tokens.get(at).from();
            while (word(at + 1).equals(".")) {
                at += 2;
            }
            SqlToken last = tokens.get(at);
            String table = text.substring(nameFrom, last.to());
            String alias = text.substring(last.from(), last.to());
            int restFrom = last.to();
            if (word(at + 1).equals("AS")) {
                SqlToken named = token(at + 2);
                alias = text.substring(named.from(), named.to());
                restFrom = named.to();
            }
            String insert =
                    text.substring(0, last.to())
                            + text.substring(restFrom, tokens.get(clause).from())
                            + " ON CONFLICT DO NOTHING";
            at = clause + 2;
            Arbiter arbiter = arbiter();
            expect("DO");
            if (word(at).equals("NOTHING")) {
                at++;
                end();
                return new Parsed(insert, new OnConflict(table, alias, arbiter, null));
            }
            expect("UPDATE");
            expect("SET");
            if (arbiter instanceof Arbiter.Any) {
                throw new SqlException(
                        SqlState.SYNTAX_ERROR,
                        "ON CONFLICT DO UPDATE requires inference specification or constraint"
                                + " name",
                        "For example, ON CONFLICT (column_name).",
                        0,
                        null);
            }
            List<Assignment> assignments = assignments();
            String condition = null;
            if (word(at).equals("WHERE")) {
                condition = text.substring(token(at + 1).from(), text.length());
                at = tokens.size();
            }
            end();
            return new Parsed(
                    insert,
                    new OnConflict(table, alias, arbiter, new Update(assignments, condition)));
        }

        private Arbiter arbiter() {
            if (word(at).equals("ON") && word(at + 1).equals("CONSTRAINT")) {
                String name = name(token(at + 2));
                at += 3;
                return new Arbiter.Constraint(name);
            }
            if (!word(at).equals("(")) {
                return new Arbiter.Any();
            }
            List<String> names = new ArrayList<>();
            at++;
            while (true) {
                names.add(name(token(at)));
                at++;
                if (word(at).equals(")")) {
                    break;
                }
                if (!word(at).equals(",")) {
                    throw unsupported("expressions, collations and operator classes");
                }
                at++;
            }
            at++;
            if (word(at).equals("WHERE")) {
                throw unsupported("WHERE of a partial index");
            }
            return new Arbiter.Columns(names);
        }

        private List<Assignment> assignments() {
            List<Assignment> assignments = new ArrayList<>();
            while (true) {
                if (word(at).equals("(")) {
                    several(assignments);
                } else {
                    String column = name(token(at));
                    at++;
                    expect("=");
                    assignments.add(new Assignment(column, expression(0)));
                }
                if (!word(at).equals(",")) {
                    return assignments;
                }
                at++;
            }
        }

        /** {@code (a, b) = (1, 2)}, also with ROW. */
        private void several(List<Assignment> assignments) {
            List<String> columns = new ArrayList<>();
            do {
                columns.add(name(token(at + 1)));
                at += 2;
            } while (word(at).equals(","));
            expect(")");
            expect("=");
            if (word(at).equals("ROW")) {
                at++;
            }
            if (!word(at).equals("(") || word(at + 1).equals("SELECT")) {
                throw unsupported("an assignment from a subquery; assign each column");
            }
            List<@Nullable String> values = new ArrayList<>();
            do {
                at++;
                values.add(expression(1));
            } while (word(at).equals(","));
            expect(")");
            if (values.size() != columns.size()) {
                throw new SqlException(
                        SqlState.SYNTAX_ERROR, "number of columns does not match number of values");
            }
            for (int i = 0; i < columns.size(); i++) {
                assignments.add(new Assignment(columns.get(i), values.get(i)));
            }
        }

        /** Up to a comma, a parenthesis that closes, or WHERE; null for DEFAULT. */
        private @Nullable String expression(int depth) {
            int from = at;
            while (at < tokens.size()) {
                SqlToken token = tokens.get(at);
                boolean ends =
                        token.depth() < depth
                                || (token.depth() == depth
                                        && (token.word().equals(",")
                                                || token.word().equals("WHERE")));
                if (ends) {
                    break;
                }
                at++;
            }
            if (at == from) {
                throw syntax(at);
            }
            boolean isDefault = at == from + 1 && word(from).equals("DEFAULT");
            return isDefault
                    ? null
                    : text.substring(tokens.get(from).from(), tokens.get(at - 1).to());
        }

        private String word(int index) {
            return index < tokens.size() ? tokens.get(index).word() : "";
        }

        private SqlToken token(int index) {
            if (index >= tokens.size()) {
                throw syntax(index);
            }
            return tokens.get(index);
        }

        private String name(SqlToken token) {
            char first = token.word().charAt(0);
            if (first != '"' && first != '_' && !Character.isLetter(first)) {
                throw unsupported("expressions instead of columns");
            }
            return SqlText.names(text.substring(token.from(), token.to())).getFirst();
        }

        private void expect(String word) {
            if (!word(at).equals(word)) {
                throw syntax(at);
            }
            at++;
        }

        private void end() {
            if (at < tokens.size()) {
                throw syntax(at);
            }
        }

        private SqlException syntax(int index) {
            String near =
                    index < tokens.size() ? "near \"" + word(index) + "\"" : "at end of input";
            return new SqlException(SqlState.SYNTAX_ERROR, "syntax error at or " + near);
        }

        private static SqlException unsupported(String what) {
            return new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED, "ON CONFLICT with " + what + ": not supported");
        }
    }
}
