package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;

/**
 * What an EXPLAIN asks for.
 *
 * @param statement the text that is explained
 * @param analyze whether it is executed
 * @param json the format; otherwise text
 */
record ExplainOptions(String statement, boolean analyze, boolean json) {
    private static final Set<String> IGNORED =
            Set.of("VERBOSE", "COSTS", "BUFFERS", "TIMING", "SUMMARY", "SETTINGS", "WAL");

    private static final Set<String> OFF = Set.of("FALSE", "OFF", "0", "'FALSE'", "'OFF'");

    /** Null if the text is no EXPLAIN. */
    static @Nullable ExplainOptions of(String text) {
        List<SqlToken> tokens = SqlToken.of(text);
        if (tokens.isEmpty() || !tokens.getFirst().word().equals("EXPLAIN")) {
            return null;
        }
        boolean analyze = false;
        boolean json = false;
        int at = 1;
        if (word(tokens, at).equals("(") && !isQuery(word(tokens, at + 1))) {
            at++;
            while (at < tokens.size() && !word(tokens, at).equals(")")) {
                String option = word(tokens, at);
                String value = word(tokens, at + 1);
                boolean valued = !value.equals(",") && !value.equals(")");
                if (option.equals("ANALYZE") || option.equals("ANALYSE")) {
                    analyze = !valued || !OFF.contains(value);
                } else if (option.equals("FORMAT")) {
                    json = json(value.replace("'", "").toUpperCase(Locale.ROOT));
                } else if (!IGNORED.contains(option)) {
                    throw new SqlException(
                            SqlState.SYNTAX_ERROR,
                            "unrecognized EXPLAIN option \"" + option + "\"");
                }
                at += valued ? 2 : 1;
                at += word(tokens, at).equals(",") ? 1 : 0;
            }
            at++;
        } else {
            while (Set.of("ANALYZE", "ANALYSE", "VERBOSE").contains(word(tokens, at))) {
                analyze |= !word(tokens, at).equals("VERBOSE");
                at++;
            }
        }
        if (at >= tokens.size()) {
            throw new SqlException(SqlState.SYNTAX_ERROR, "syntax error at end of input");
        }
        return new ExplainOptions(text.substring(tokens.get(at).from()), analyze, json);
    }

    private static boolean isQuery(String word) {
        return Set.of("SELECT", "VALUES", "WITH", "TABLE", "(").contains(word);
    }

    private static boolean json(String format) {
        return switch (format) {
            case "TEXT" -> false;
            case "JSON" -> true;
            default ->
                    throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "EXPLAIN with FORMAT " + format + ": not supported; use TEXT or JSON");
        };
    }

    private static String word(List<SqlToken> tokens, int index) {
        return index < tokens.size() ? tokens.get(index).word() : "";
    }

    ResultColumn column() {
        return new ResultColumn("QUERY PLAN", ColumnType.of(json ? DataType.JSON : DataType.TEXT));
    }

    StatementResult result(PlanNode plan) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        if (json) {
            rows.add(List.of(PlanFormat.json(plan)));
        } else {
            PlanFormat.text(plan).forEach(line -> rows.add(List.of(line)));
        }
        return new StatementResult.Rows("EXPLAIN", List.of(column()), new ListedRows(rows));
    }
}
