package petrichor.sql.catalog;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import petrichor.sql.SqlText;

/**
 * A statement over system catalogs, rewritten for H2: what PostgreSQL's tools write in a way that
 * H2 does not know, token by token.
 *
 * @param text for H2
 */
public record CatalogQuery(String text) {
    /** Names that H2 does not resolve over tables: the statement is one over system catalogs. */
    private static final Set<String> NAMES =
            Set.of(
                    "pg_catalog",
                    "information_schema",
                    "regclass",
                    "regtype",
                    "regproc",
                    "regnamespace",
                    "to_regclass",
                    "to_regtype",
                    "current_schema",
                    "current_schemas",
                    "current_setting",
                    "set_config",
                    "current_catalog",
                    "format_type",
                    "obj_description",
                    "col_description",
                    "quote_ident",
                    "current_database",
                    "has_table_privilege",
                    "has_schema_privilege",
                    "has_database_privilege");

    /** Relations without rows, which are queried in ways that H2 cannot parse. */
    private static final Set<String> EMPTY =
            Set.of("pg_policy", "pg_statistic_ext", "pg_publication", "pg_trigger", "pg_cursors");

    private static final Set<String> LOOKUPS =
            Set.of("regclass", "regtype", "regproc", "regnamespace");

    private static final Set<String> BEFORE = Set.of("FROM", "JOIN", ",", "(", "ONLY", "LATERAL");

    private static final Set<String> CLAUSES =
            Set.of(
                    "SELECT",
                    "FROM",
                    "WHERE",
                    "GROUP",
                    "HAVING",
                    "ORDER",
                    "LIMIT",
                    "OFFSET",
                    "SET",
                    "VALUES",
                    "RETURNING",
                    "UNION",
                    "EXCEPT",
                    "INTERSECT",
                    "WINDOW",
                    "FETCH");

    /**
     * Whether a statement reads system catalogs. Columns may have names that look like theirs.
     *
     * @param words keywords in upper case
     */
    public static boolean reads(List<String> words) {
        // The last clause of each pair of parentheses that is open.
        Deque<String> clauses = new ArrayDeque<>();
        clauses.push("");
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (NAMES.contains(word.toLowerCase(Locale.ROOT))
                    || (word.equals("VERSION") && is(words, i + 1, "(") && is(words, i + 2, ")"))) {
                return true;
            }
            boolean relation =
                    clauses.getFirst().equals("FROM") && BEFORE.contains(before(words, i));
            boolean named = is(words, i + 1, "(") || before(words, i).equals("TABLE") || relation;
            if (word.startsWith("PG_")
                    && !word.equals("PG_TYPEOF")
                    && named
                    && !before(words, i).equals(".")) {
                return true;
            }
            if (word.equals("(")) {
                boolean joined = clauses.getFirst().equals("FROM");
                clauses.push(joined && BEFORE.contains(before(words, i)) ? "FROM" : "");
            } else if (word.equals(")") && clauses.size() > 1) {
                clauses.pop();
            } else if (CLAUSES.contains(word)) {
                clauses.pop();
                clauses.push(word);
            }
        }
        return false;
    }

    private static String before(List<String> words, int at) {
        return at > 0 ? words.get(at - 1) : "";
    }

    public static CatalogQuery of(String statement) {
        List<String> tokens = tokens(statement);
        if (EMPTY.contains(firstRelation(tokens))) {
            return new CatalogQuery(Empty.query(tokens));
        }
        removePrefixes(tokens);
        removeCollations(tokens);
        castsToOperators(tokens);
        SetReturning.options(tokens);
        SetReturning.rewrite(tokens);
        lookups(tokens);
        names(tokens);
        return new CatalogQuery(String.join(" ", tokens));
    }

    private static List<String> tokens(String text) {
        List<String> tokens = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            int end = SqlText.tokenEnd(text, at);
            String token = text.substring(at, end);
            boolean blank = token.isBlank() || token.startsWith("--") || token.startsWith("/*");
            boolean colons = token.equals(":") && text.startsWith("::", at);
            if (colons) {
                token = "::";
                end = at + 2;
            }
            for (String operator : List.of("<>", "!=", "<=", ">=", "||", "!~", "<@", "@>")) {
                if (text.startsWith(operator, at)) {
                    token = operator;
                    end = at + 2;
                }
            }
            if ((token.equals("E") || token.equals("e")) && text.startsWith("'", end)) {
                int close = SqlText.tokenEnd(text, end);
                token = unescaped(text.substring(end, close));
                end = close;
            }
            if (!blank && !token.equals(";")) {
                tokens.add(token);
            }
            at = end;
        }
        return tokens;
    }

    private static String unescaped(String literal) {
        return literal.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\");
    }

    private static boolean is(List<String> tokens, int at, String word) {
        return at >= 0 && at < tokens.size() && tokens.get(at).equalsIgnoreCase(word);
    }

    /** The relation after the first FROM outside of parentheses; empty if there is none. */
    private static String firstRelation(List<String> tokens) {
        int depth = 0;
        for (int i = 0; i < tokens.size(); i++) {
            if (tokens.get(i).equals("(")) {
                depth++;
            } else if (tokens.get(i).equals(")")) {
                depth--;
            } else if (depth == 0 && is(tokens, i, "from") && i + 1 < tokens.size()) {
                boolean qualified = is(tokens, i + 1, "pg_catalog") && i + 3 < tokens.size();
                return tokens.get(qualified ? i + 3 : i + 1).toLowerCase(Locale.ROOT);
            }
        }
        return "";
    }

    private static void removePrefixes(List<String> tokens) {
        for (int i = 0; i + 2 < tokens.size(); i++) {
            if (!is(tokens, i + 1, ".")) {
                continue;
            }
            if (is(tokens, i, "pg_catalog")) {
                tokens.subList(i, i + 2).clear();
            } else if (is(tokens, i, "information_schema")) {
                String name = tokens.get(i + 2);
                tokens.subList(i, i + 3).clear();
                tokens.add(i, name.startsWith("_") ? name : "information_schema_" + name);
            }
        }
        for (int i = 0; i + 3 < tokens.size(); i++) {
            if (is(tokens, i, "operator") && tokens.get(i + 1).equals("(")) {
                int close = close(tokens, i + 1);
                String operator = String.join("", tokens.subList(i + 2, close)).replace("\"", "");
                tokens.subList(i, close + 1).clear();
                tokens.add(i, operator);
            }
        }
    }

    private static void removeCollations(List<String> tokens) {
        for (int i = 0; i + 1 < tokens.size(); i++) {
            if (is(tokens, i, "collate")) {
                tokens.subList(i, i + 2).clear();
            }
        }
    }

    /** CAST(x AS regclass) and the like are written as (x)::regclass. */
    private static void castsToOperators(List<String> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            if (!is(tokens, i, "cast") || !is(tokens, i + 1, "(")) {
                continue;
            }
            int close = close(tokens, i + 1);
            int as = -1;
            int depth = 0;
            for (int j = i + 2; j < close; j++) {
                depth += tokens.get(j).equals("(") ? 1 : tokens.get(j).equals(")") ? -1 : 0;
                if (depth == 0 && is(tokens, j, "as")) {
                    as = j;
                }
            }
            if (as > 0) {
                List<String> type = new ArrayList<>(tokens.subList(as + 1, close));
                tokens.subList(as, close + 1).clear();
                tokens.add(as, ")");
                tokens.add(as + 1, "::");
                tokens.addAll(as + 2, type);
                tokens.remove(i);
            }
        }
    }

    static int close(List<String> tokens, int open) {
        int depth = 0;
        for (int i = open; i < tokens.size(); i++) {
            String token = tokens.get(i);
            depth += token.equals("(") || token.equals("[") ? 1 : 0;
            depth -= token.equals(")") || token.equals("]") ? 1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        return tokens.size() - 1;
    }

    /** Start of the operand that ends before {@code end}. */
    static int operand(List<String> tokens, int end) {
        int at = end - 1;
        while (at >= 0 && (tokens.get(at).equals(")") || tokens.get(at).equals("]"))) {
            int depth = 0;
            do {
                String token = tokens.get(at);
                depth += token.equals(")") || token.equals("]") ? 1 : 0;
                depth -= token.equals("(") || token.equals("[") ? 1 : 0;
                at--;
            } while (at >= 0 && depth > 0);
            boolean called = at >= 0 && isName(tokens.get(at)) && !isKeyword(tokens.get(at));
            boolean subscript =
                    at >= 0 && (tokens.get(at).equals(")") || tokens.get(at).equals("]"));
            if (!called && !subscript) {
                return at + 1;
            }
            if (called) {
                break;
            }
        }
        while (at >= 2 && tokens.get(at - 1).equals(".")) {
            at -= 2;
        }
        return at;
    }

    private static boolean isName(String token) {
        return Character.isLetter(token.charAt(0))
                || token.startsWith("_")
                || token.startsWith("\"");
    }

    private static boolean isKeyword(String token) {
        return Set.of("in", "and", "or", "not", "select", "values", "when", "then", "else", "on")
                .contains(token.toLowerCase(Locale.ROOT));
    }

    /** Casts to and from names of objects. */
    private static void lookups(List<String> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            if (!tokens.get(i).equals("::") || i + 1 >= tokens.size()) {
                continue;
            }
            String type = tokens.get(i + 1).toLowerCase(Locale.ROOT).replace("\"", "");
            boolean array = is(tokens, i + 2, "[") && is(tokens, i + 3, "]");
            if (array) {
                wrap(tokens, i, i + 4, "text_array");
            } else if (LOOKUPS.contains(type)) {
                int start = operand(tokens, i);
                int end = i + 2;
                boolean literal = true;
                for (String token : tokens.subList(start, i)) {
                    literal &=
                            token.startsWith("'")
                                    || token.startsWith("$")
                                    || token.equals("(")
                                    || token.equals(")")
                                    || token.equals("pg_get_serial_sequence");
                }
                boolean number = literal;
                while (is(tokens, end, ")")
                        && is(tokens, start - 1, "(")
                        && is(tokens, end + 1, "::")) {
                    tokens.remove(end);
                    tokens.remove(start - 1);
                    start--;
                    end--;
                    i--;
                }
                if (is(tokens, end, "::")) {
                    number =
                            !Set.of("text", "varchar", "name")
                                    .contains(tokens.get(end + 1).toLowerCase(Locale.ROOT));
                    end += 2;
                }
                wrap(tokens, i, end, type + (number ? "_oid" : "_name"));
            } else {
                switch (type) {
                    case "oid", "xid", "cid" -> tokens.set(i + 1, "bigint");
                    case "name", "char", "cstring" -> tokens.set(i + 1, "varchar");
                    default -> {
                        // A type that H2 knows.
                    }
                }
            }
        }
    }

    /** Replaces the operand before {@code at} and what follows, up to {@code end}, by a call. */
    private static void wrap(List<String> tokens, int at, int end, String function) {
        int start = operand(tokens, at);
        tokens.subList(at, end).clear();
        tokens.add(at, ")");
        tokens.add(start, "(");
        tokens.add(start, function);
    }

    private static void names(List<String> tokens) {
        for (int i = 0; i < tokens.size(); i++) {
            String word = tokens.get(i).toLowerCase(Locale.ROOT);
            boolean called = is(tokens, i + 1, "(");
            switch (word) {
                case "current_schema" -> {
                    if (!called) {
                        tokens.set(i, "system_current_schema()");
                    } else {
                        tokens.set(i, SystemCatalog.function(word));
                    }
                }
                case "current_catalog" -> tokens.set(i, "system_current_database()");
                case "current_user", "session_user" -> tokens.set(i, "system_session_user_name()");
                case "pg_get_keywords" -> {
                    tokens.set(i, "pg_keywords");
                    if (called) {
                        tokens.subList(i + 1, i + 3).clear();
                    }
                }
                case "json_build_object" -> {
                    if (called) {
                        int close = close(tokens, i + 1);
                        tokens.set(i, "( system_json_text");
                        tokens.add(close + 1, "FORMAT JSON )");
                    }
                }
                case "bool_and" -> tokens.set(i, "every");
                default -> {
                    if (called) {
                        tokens.set(i, SystemCatalog.function(word));
                    }
                }
            }
        }
    }

    /** A query of relations that have no rows: the same columns, no rows. */
    private static final class Empty {
        private Empty() {}

        static String query(List<String> tokens) {
            int columns = 1;
            int depth = 0;
            for (String token : tokens) {
                depth += token.equals("(") ? 1 : token.equals(")") ? -1 : 0;
                if (depth == 0 && token.equalsIgnoreCase("from")) {
                    break;
                }
                columns += depth == 0 && token.equals(",") ? 1 : 0;
            }
            List<String> nulls = new ArrayList<>();
            for (int i = 1; i <= columns; i++) {
                nulls.add("CAST(NULL AS VARCHAR) AS column" + i);
            }
            return "SELECT " + String.join(", ", nulls) + " WHERE FALSE";
        }
    }
}
