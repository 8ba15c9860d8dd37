package petrichor.sql.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Functions that return a row per element of an array, as tools use them over keys of indexes and
 * constraints: the elements are rows of another relation, which is joined.
 */
final class SetReturning {
    private static final Set<String> FUNCTIONS =
            Set.of("unnest", "generate_subscripts", "_pg_expandarray");

    private SetReturning() {}

    static void rewrite(List<String> tokens) {
        for (int i = 0; i + 3 < tokens.size(); i++) {
            boolean call =
                    FUNCTIONS.contains(tokens.get(i).toLowerCase(Locale.ROOT))
                            && tokens.get(i + 1).equals("(");
            if (!call) {
                continue;
            }
            int close = CatalogQuery.close(tokens, i + 1);
            List<String> arguments = new ArrayList<>(tokens.subList(i + 2, close));
            int dot = arguments.lastIndexOf(".");
            String column = dot < 0 ? arguments.getFirst() : arguments.get(dot + 1);
            String member =
                    switch (column.toLowerCase(Locale.ROOT)) {
                        case "indkey", "conkey" -> "attnum";
                        case "confkey" -> "refnum";
                        case "indclass" -> "opclass";
                        case "indoption" -> "option";
                        default -> "";
                    };
            if (member.isEmpty()) {
                continue;
            }
            boolean constraint = column.toLowerCase(Locale.ROOT).startsWith("con");
            if (tokens.get(i).equalsIgnoreCase("generate_subscripts")) {
                member = "ord";
                String dimension = arguments.getLast();
                if (arguments.contains("::")) {
                    dimension = arguments.get(arguments.lastIndexOf("::") - 1);
                }
                if (dimension.startsWith("$")) {
                    // The parameter keeps its place.
                    member = "ord + 0 * keys_.ord * CAST(" + dimension + " AS INTEGER)";
                }
            }
            int start = i;
            int end = close + 1;
            boolean selected =
                    start > 0
                            && tokens.get(start - 1).equals("(")
                            && end + 2 < tokens.size()
                            && tokens.get(end).equals(")")
                            && tokens.get(end + 1).equals(".");
            if (selected) {
                member = tokens.get(end + 2).equals("n") ? "n" : member;
                start--;
                end += 3;
            }
            String prefix = dot < 0 ? "" : String.join(" ", arguments.subList(0, dot)) + ".";
            tokens.subList(start, end).clear();
            tokens.add(start, "keys_." + member);
            join(tokens, start, prefix, constraint);
            i = start;
        }
        members(tokens);
    }

    /** Joins the elements in the SELECT around {@code at}, once. */
    private static void join(List<String> tokens, int at, String prefix, boolean constraint) {
        int depth = 0;
        int from = -1;
        int where = -1;
        int end = tokens.size();
        for (int i = at; i < tokens.size(); i++) {
            String token = tokens.get(i).toLowerCase(Locale.ROOT);
            depth += token.equals("(") ? 1 : token.equals(")") ? -1 : 0;
            if (depth < 0) {
                end = i;
                break;
            }
            if (depth == 0 && token.equals("from") && from < 0) {
                from = i;
            }
            boolean stop = Set.of("order", "group", "union", "limit").contains(token);
            if (depth == 0 && from > 0 && where < 0 && token.equals("where")) {
                where = i;
            } else if (depth == 0 && from > 0 && stop) {
                end = i;
                break;
            }
        }
        int before = where < 0 ? end : where;
        if (from < 0 || tokens.subList(from, before).contains("keys_")) {
            return;
        }
        String condition =
                constraint
                        ? "keys_.oid = " + prefix + "oid"
                        : "keys_.indexrelid = " + prefix + "indexrelid";
        if (where < 0) {
            tokens.add(end, "WHERE " + condition);
        } else {
            tokens.add(where + 1, condition + " AND");
        }
        tokens.add(before, ",");
        tokens.add(before + 1, constraint ? "pg_constraint_keys" : "pg_index_keys");
        tokens.add(before + 2, "keys_");
    }

    /** (a.keys).x is the element itself; bits and positions of indoption count from 0. */
    private static void members(List<String> tokens) {
        for (int i = 0; i + 6 < tokens.size(); i++) {
            boolean member =
                    tokens.get(i).equals("(")
                            && tokens.get(i + 2).equals(".")
                            && tokens.get(i + 4).equals(")")
                            && tokens.get(i + 5).equals(".")
                            && Set.of("x", "n")
                                    .contains(tokens.get(i + 6).toLowerCase(Locale.ROOT));
            if (member) {
                tokens.subList(i + 4, i + 7).clear();
                tokens.remove(i);
            }
        }
        subscripts(tokens);
    }

    private static void subscripts(List<String> tokens) {
        for (int i = 1; i + 1 < tokens.size(); i++) {
            String column = tokens.get(i - 1).toLowerCase(Locale.ROOT);
            boolean vector = column.endsWith("indoption") || column.endsWith("indkey");
            boolean key = column.endsWith("conkey") || column.endsWith("confkey");
            if (!tokens.get(i).equals("[") || (!vector && !key)) {
                continue;
            }
            int close = CatalogQuery.close(tokens, i);
            boolean bit =
                    close + 4 < tokens.size()
                            && tokens.get(close + 1).equals("&")
                            && tokens.get(close + 3).equals("::");
            if (bit) {
                tokens.subList(close + 1, close + 5).clear();
                tokens.add(close + 1, ", 1 )");
            }
            int start = CatalogQuery.operand(tokens, i);
            tokens.set(close, ")");
            tokens.set(i, ",");
            tokens.add(start, vector ? "system_vector_at (" : "system_number_at (");
            if (bit) {
                tokens.add(start, "BITAND (");
            }
        }
    }

    /** Options of a relation: none has any, and H2 does not correlate UNNEST. */
    static void options(List<String> tokens) {
        for (int i = 0; i + 4 < tokens.size(); i++) {
            boolean options =
                    tokens.get(i).equals("||")
                            && tokens.get(i + 1).equalsIgnoreCase("array")
                            && tokens.get(i + 2).equals("(");
            if (options) {
                int close = CatalogQuery.close(tokens, i + 2);
                if (tokens.subList(i, close).contains("reloptions")) {
                    tokens.subList(i, close + 1).clear();
                }
            }
        }
    }
}
