package petrichor.sql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Names of result columns without an alias, as PostgreSQL chooses them: of the function, of the
 * type of a cast, otherwise {@code ?column?}.
 *
 * @param items a name per item of the list; null for one that has a name of its own
 * @param star position of an item with several columns; -1 if there is none
 */
record ColumnNames(List<@Nullable String> items, int star) {
    static final ColumnNames NONE = new ColumnNames(List.of(), -1);

    private static final String UNNAMED = "?column?";

    private static final Set<String> END =
            Set.of(
                    "FROM",
                    "WHERE",
                    "GROUP",
                    "HAVING",
                    "ORDER",
                    "LIMIT",
                    "OFFSET",
                    "FETCH",
                    "UNION",
                    "EXCEPT",
                    "INTERSECT",
                    "WINDOW",
                    "FOR",
                    "INTO",
                    "AS OF");

    private static final String OPERATORS = "+-*/%^|<>=!~@#&?";

    private static final Set<String> VALUES =
            Set.of(
                    "CURRENT_USER",
                    "SESSION_USER",
                    "USER",
                    "CURRENT_DATE",
                    "CURRENT_TIME",
                    "CURRENT_TIMESTAMP",
                    "LOCALTIME",
                    "LOCALTIMESTAMP",
                    "CURRENT_SCHEMA",
                    "CURRENT_CATALOG",
                    "CURRENT_ROLE");

    /** Name of the result column at this position of {@code count}; null to keep its own. */
    @Nullable String name(int position, int count) {
        if (star < 0) {
            return count == items.size() ? items.get(position) : null;
        }
        int fromEnd = count - position;
        int after = items.size() - star - 1;
        if (position < star) {
            return items.get(position);
        }
        return fromEnd <= after ? items.get(items.size() - fromEnd) : null;
    }

    /**
     * @param words tokens of the statement
     * @param before the keyword before the list
     */
    static ColumnNames of(List<String> words, String before) {
        int depth = 0;
        int start = -1;
        for (int i = 0; i < words.size() && start < 0; i++) {
            depth += depth(words.get(i));
            if (depth == 0 && words.get(i).equals(before)) {
                start = i + 1;
            }
        }
        if (start < 0 || words.getFirst().equals("EXPLAIN")) {
            return NONE;
        }
        if (start < words.size() && words.get(start).equals("DISTINCT")) {
            start++;
            if (start < words.size() && words.get(start).equals("ON")) {
                return NONE;
            }
        }
        List<@Nullable String> names = new ArrayList<>();
        int star = -1;
        List<String> item = new ArrayList<>();
        depth = 0;
        for (int i = start; i <= words.size(); i++) {
            String word = i == words.size() ? "" : words.get(i);
            depth += depth(word);
            boolean ends = i == words.size() || depth < 0 || (depth == 0 && END.contains(word));
            if (ends || (depth == 0 && word.equals(","))) {
                if (!item.isEmpty() && item.getLast().equals("*") && item.size() != 2) {
                    if (star >= 0) {
                        return NONE;
                    }
                    star = names.size();
                }
                names.add(item.isEmpty() ? null : name(item));
                item = new ArrayList<>();
                if (ends) {
                    break;
                }
            } else {
                item.add(word);
            }
        }
        return new ColumnNames(java.util.Collections.unmodifiableList(names), star);
    }

    private static int depth(String word) {
        return switch (word) {
            case "(", "[" -> 1;
            case ")", "]" -> -1;
            default -> 0;
        };
    }

    private static boolean isWord(String token) {
        char first = token.charAt(0);
        return Character.isLetter(first) || first == '_' || first == '"';
    }

    /** Name of one item; null if it has an alias or is a column. */
    static @Nullable String name(List<String> item) {
        int size = item.size();
        String last = item.getLast();
        String first = item.getFirst();
        if (size == 1) {
            if (VALUES.contains(first)) {
                return first.toLowerCase(Locale.ROOT);
            }
            return switch (first) {
                case "TRUE", "FALSE" -> "bool";
                case "NULL" -> UNNAMED;
                default -> isWord(first) ? null : UNNAMED;
            };
        }
        if (item.get(size - 2).equals("AS")) {
            return null;
        }
        boolean typed =
                size == 2
                        && last.startsWith("'")
                        && Character.isLetter(first.charAt(0))
                        && first.length() > 1;
        boolean interval =
                first.equals("INTERVAL")
                        && item.get(1).startsWith("'")
                        && item.subList(2, size).stream().allMatch(ColumnNames::isWord);
        if (typed || interval) {
            return type(first);
        }
        int cast = lastCast(item);
        if (cast > 0) {
            if (hasOperator(item.subList(0, cast))) {
                return UNNAMED;
            }
            String inner = name(item.subList(0, cast));
            boolean column = inner == null && isColumn(item.subList(0, cast));
            if (column) {
                return unquoted(item.get(cast - 1));
            }
            return UNNAMED.equals(inner) ? type(item.get(cast + 2)) : inner;
        }
        if (isColumn(item)) {
            return null;
        }
        if (first.equals("CASE") && last.equals("END")) {
            return "case";
        }
        int call = call(item);
        if (call >= 0) {
            String function = item.get(call - 1);
            return switch (function) {
                case "CAST" -> casted(item.subList(call + 1, Math.max(call + 1, size - 1)));
                case "JSON_ARRAYAGG" -> "jsonb_agg";
                case "OPERATOR_REGEXP_REPLACE" -> "regexp_replace";
                case "OPERATOR_DECODE" -> "decode";
                case "JSON_OBJECTAGG" -> "jsonb_object_agg";
                default -> function.startsWith("OPERATOR_") ? UNNAMED : unquoted(function);
            };
        }
        if (first.equals("(") && last.equals(")") && close(item, 0) == size - 1) {
            List<String> inner = item.subList(1, size - 1);
            int format = inner.size() - 2;
            if (format > 0 && inner.subList(format, format + 2).equals(List.of("FORMAT", "JSON"))) {
                return nameOrColumn(inner.subList(0, format));
            }
            if (inner.isEmpty()) {
                return UNNAMED;
            }
            if (!inner.getFirst().equals("SELECT")) {
                return nameOrColumn(inner);
            }
            ColumnNames names = of(inner, "SELECT");
            return names.items().size() == 1 ? names.items().getFirst() : UNNAMED;
        }
        boolean implicit =
                isWord(last)
                        && !last.equals("END")
                        && !Set.of("NULL", "TRUE", "FALSE", "UNKNOWN").contains(last)
                        && endsOperand(item.get(size - 2));
        return implicit ? null : UNNAMED;
    }

    /** A cast binds more strongly than operators. */
    private static boolean hasOperator(List<String> item) {
        int depth = 0;
        for (String token : item) {
            depth += depth(token);
            if (depth == 0 && token.length() == 1 && OPERATORS.indexOf(token.charAt(0)) >= 0) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable String nameOrColumn(List<String> item) {
        String name = name(item);
        return name == null && isColumn(item) ? unquoted(item.getLast()) : name;
    }

    private static boolean endsOperand(String token) {
        return token.equals(")")
                || token.equals("]")
                || token.equals("END")
                || token.startsWith("'")
                || (isWord(token)
                        && !Set.of("AND", "OR", "NOT", "IS", "LIKE", "IN", "DATE", "TIMESTAMP")
                                .contains(token))
                || Character.isDigit(token.charAt(0))
                || token.charAt(0) == '$';
    }

    private static boolean isColumn(List<String> item) {
        for (int i = 0; i < item.size(); i++) {
            boolean right = i % 2 == 0 ? isWord(item.get(i)) : item.get(i).equals(".");
            if (!right) {
                return false;
            }
        }
        return item.size() % 2 == 1;
    }

    /** Position of the first colon of a cast that ends the item; -1 if there is none. */
    private static int lastCast(List<String> item) {
        int depth = 0;
        for (int i = item.size() - 1; i > 1; i--) {
            depth -= depth(item.get(i));
            boolean operator =
                    depth == 0
                            && !isWord(item.get(i))
                            && !Set.of(":", "(", ")", "[", "]", ".").contains(item.get(i));
            if (operator) {
                return -1;
            }
            boolean cast = depth == 0 && item.get(i).equals(":") && item.get(i - 1).equals(":");
            if (cast && i + 1 < item.size()) {
                return i - 1;
            }
        }
        return -1;
    }

    private static String casted(List<String> inner) {
        int as = inner.lastIndexOf("AS");
        if (as <= 0 || as + 1 >= inner.size()) {
            return UNNAMED;
        }
        List<String> operand = inner.subList(0, as);
        String name = nameOrColumn(operand);
        return name == null || name.equals(UNNAMED) ? type(inner.get(as + 1)) : name;
    }

    /** Position of the parenthesis of a call that is all of the item; -1 if it is none. */
    private static int call(List<String> item) {
        int open = item.indexOf("(");
        if (open < 1 || !isWord(item.get(open - 1)) || !isColumn(item.subList(0, open))) {
            return -1;
        }
        int close = close(item, open);
        if (close == item.size() - 1) {
            return open;
        }
        boolean window =
                Arrays.asList("OVER", "FILTER", "WITHIN").contains(item.get(close + 1))
                        && item.getLast().equals(")");
        return window ? open : -1;
    }

    private static int close(List<String> item, int open) {
        int depth = 0;
        for (int i = open; i < item.size(); i++) {
            depth += depth(item.get(i));
            if (depth == 0) {
                return i;
            }
        }
        return item.size() - 1;
    }

    private static String type(String written) {
        String name = unquoted(written);
        return switch (name) {
            case "int", "integer" -> "int4";
            case "bigint" -> "int8";
            case "smallint" -> "int2";
            case "boolean" -> "bool";
            case "real" -> "float4";
            case "double", "float" -> "float8";
            case "decimal" -> "numeric";
            case "char", "character" -> "bpchar";
            default -> name;
        };
    }

    private static String unquoted(String word) {
        return word.startsWith("\"")
                ? word.substring(1, word.length() - 1).replace("\"\"", "\"")
                : word.toLowerCase(Locale.ROOT);
    }
}
