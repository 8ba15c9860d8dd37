package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;

/** What tools write in definitions and H2 does not know, or knows in another order. */
final class PostgresSyntax {
    private static final Set<String> PERSISTENCE =
            Set.of("TEMPORARY", "TEMP", "LOCAL", "GLOBAL", "UNLOGGED");

    private PostgresSyntax() {}

    /** Tokens of a text with their case, without comments. */
    private static List<String> tokens(String text) {
        List<String> tokens = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            int end = SqlText.tokenEnd(text, at);
            String token = text.substring(at, end);
            boolean comment = token.startsWith("--") || token.startsWith("/*");
            tokens.add(comment || token.isBlank() ? " " : token);
            at = end;
        }
        return tokens;
    }

    /**
     * A definition for H2: storage parameters, index methods and operator classes are left out, as
     * are deferred checks of foreign keys, and CASCADE after DROP COLUMN; an identity stands before
     * PRIMARY KEY.
     */
    static String definition(String text) {
        return known(durable(DefinitionSyntax.known(text)));
    }

    /** Without TEMPORARY and UNLOGGED, and without ON COMMIT. */
    private static String durable(String text) {
        List<SqlToken> tokens = SqlToken.of(text);
        StringBuilder rewritten = new StringBuilder();
        int copied = 0;
        boolean kind = false;
        for (int i = 1; i < tokens.size(); i++) {
            String word = tokens.get(i).word();
            kind |= Set.of("TABLE", "VIEW", "SEQUENCE").contains(word);
            if (!kind && PERSISTENCE.contains(word)) {
                rewritten.append(text, copied, tokens.get(i).from());
                copied = tokens.get(i).to();
            }
            boolean commit =
                    word.equals("ON")
                            && i + 2 < tokens.size()
                            && tokens.get(i + 1).word().equals("COMMIT");
            if (commit) {
                if (!tokens.get(i + 2).word().equals("PRESERVE")) {
                    throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "ON COMMIT " + tokens.get(i + 2).word() + ": not supported");
                }
                int end = Math.min(i + 3, tokens.size() - 1);
                rewritten.append(text, copied, tokens.get(i).from());
                copied = tokens.get(end).to();
                i = end;
            }
        }
        return copied == 0 ? text : rewritten.append(text, copied, text.length()).toString();
    }

    private static String known(String text) {
        String upper = text.toUpperCase(Locale.ROOT);
        boolean plain =
                !upper.contains("WITH")
                        && !upper.contains("USING")
                        && !upper.contains("_OPS")
                        && !upper.contains("DEFERRABLE")
                        && !upper.contains("CASCADE")
                        && !upper.contains("[")
                        && !upper.contains("IDENTITY");
        if (plain) {
            return text;
        }
        List<String> tokens = tokens(text);
        boolean table = upper.stripLeading().startsWith("CREATE TABLE");
        boolean column = upper.matches("(?s)\\s*ALTER\\s+TABLE.*DROP\\s+COLUMN.*");
        boolean index = upper.stripLeading().matches("(?s)CREATE\\s+(UNIQUE\\s+)?INDEX.*");
        StringBuilder rewritten = new StringBuilder();
        for (int i = 0; i < tokens.size(); i++) {
            if (next(tokens, i, "[", "]") > 0) {
                rewritten.append(" ARRAY");
                i = next(tokens, i, "[", "]") - 1;
            } else if (column && tokens.get(i).equalsIgnoreCase("CASCADE")) {
                rewritten.append(' ');
            } else if (table && next(tokens, i, "WITH", "(") > 0) {
                i = close(tokens, next(tokens, i, "WITH", "(") - 1);
            } else if (index && next(tokens, i, "USING", "BTREE") > 0) {
                i = next(tokens, i, "USING", "BTREE") - 1;
            } else if (index && tokens.get(i).toLowerCase(Locale.ROOT).endsWith("_ops")) {
                rewritten.append(' ');
            } else if (next(tokens, i, "DEFERRABLE", "INITIALLY", "DEFERRED") > 0) {
                i = next(tokens, i, "DEFERRABLE", "INITIALLY", "DEFERRED") - 1;
            } else if (next(tokens, i, "PRIMARY", "KEY", "GENERATED") > 0) {
                int from = next(tokens, i, "PRIMARY", "KEY", "GENERATED") - 1;
                int to = from;
                while (to < tokens.size() && !tokens.get(to).equalsIgnoreCase("IDENTITY")) {
                    to++;
                }
                int options = next(tokens, to, "IDENTITY", "(");
                int end = options > 0 ? close(tokens, options - 1) : to;
                rewritten
                        .append(
                                String.join(
                                        "", tokens.subList(from, Math.min(end + 1, tokens.size()))))
                        .append(" PRIMARY KEY");
                i = end;
            } else {
                rewritten.append(tokens.get(i));
            }
        }
        return rewritten.toString();
    }

    /** The position after these words, which start at {@code at}; 0 if others stand there. */
    private static int next(List<String> tokens, int at, String... words) {
        int position = at;
        for (int i = 0; i < words.length; i++) {
            while (i > 0 && position < tokens.size() && tokens.get(position).equals(" ")) {
                position++;
            }
            if (position >= tokens.size() || !tokens.get(position).equalsIgnoreCase(words[i])) {
                return 0;
            }
            position++;
        }
        return position;
    }

    private static int close(List<String> tokens, int open) {
        int depth = 0;
        for (int i = open; i < tokens.size(); i++) {
            depth += tokens.get(i).equals("(") ? 1 : tokens.get(i).equals(")") ? -1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        return tokens.size() - 1;
    }

    /** The name by which RETURNING qualifies columns: the alias of the table, or its name. */
    static String target(List<String> words) {
        int at = words.getFirst().equals("UPDATE") ? 1 : 2;
        while (at < words.size() && Set.of("ONLY", "(").contains(words.get(at))) {
            at++;
        }
        while (at + 2 < words.size() && words.get(at + 1).equals(".")) {
            at += 2;
        }
        if (at + 2 < words.size() && words.get(at + 1).equals("AS")) {
            at += 2;
        }
        if (at >= words.size()) {
            throw new SqlException(SqlState.SYNTAX_ERROR, "syntax error at end of input");
        }
        return words.get(at);
    }

    /** Types of parameters that H2 has not inferred, and that the text casts or compares. */
    static List<ColumnType> parameters(List<ColumnType> inferred, List<String> words) {
        List<ColumnType> known = arrays(inferred, words);
        return known.stream().noneMatch(type -> type.type() == DataType.UNKNOWN)
                ? known
                : cast(known, words);
    }

    /** The parameter in {@code = ANY ($1)} is an array, for which H2 infers the element's type. */
    private static List<ColumnType> arrays(List<ColumnType> inferred, List<String> words) {
        List<ColumnType> types = new ArrayList<>(inferred);
        for (int i = 0; i + 3 < words.size(); i++) {
            boolean any =
                    Set.of("ANY", "SOME", "ALL").contains(words.get(i))
                            && words.get(i + 1).equals("(")
                            && words.get(i + 2).matches("\\$[0-9]{1,5}")
                            && words.get(i + 3).equals(")");
            int number = any ? Integer.parseInt(words.get(i + 2).substring(1)) - 1 : -1;
            if (number >= 0 && number < types.size()) {
                ColumnType element = types.get(number);
                types.set(
                        number,
                        switch (element.type()) {
                            case ARRAY -> element;
                            case UNKNOWN -> ColumnType.arrayOf(ColumnType.of(DataType.TEXT));
                            case BOOLEAN,
                                    SMALLINT,
                                    INTEGER,
                                    BIGINT,
                                    NUMERIC,
                                    REAL,
                                    DOUBLE,
                                    CHAR,
                                    VARCHAR,
                                    TEXT,
                                    BYTEA,
                                    DATE,
                                    TIME,
                                    TIMETZ,
                                    TIMESTAMP,
                                    TIMESTAMPTZ,
                                    INTERVAL,
                                    UUID,
                                    JSON ->
                                    ColumnType.arrayOf(element);
                        });
            }
        }
        return types;
    }

    private static List<ColumnType> cast(List<ColumnType> inferred, List<String> words) {
        List<ColumnType> types = new ArrayList<>(inferred);
        for (int i = 0; i + 3 < words.size(); i++) {
            String word = words.get(i);
            boolean cast =
                    word.matches("\\$[0-9]{1,5}")
                            && words.get(i + 1).equals(":")
                            && words.get(i + 2).equals(":");
            int number = cast ? Integer.parseInt(word.substring(1)) - 1 : -1;
            ColumnType type = cast ? type(words.get(i + 3)) : null;
            boolean unknown =
                    number >= 0
                            && number < types.size()
                            && types.get(number).type() == DataType.UNKNOWN;
            if (unknown && cast && array(words, i + 3)) {
                ColumnType element = type == null ? ColumnType.of(DataType.TEXT) : type;
                types.set(number, ColumnType.arrayOf(element));
            } else if (unknown && type != null) {
                types.set(number, type);
            }
        }
        return types;
    }

    /** Whether the type that starts at a word, which may have several, is one of arrays. */
    private static boolean array(List<String> words, int start) {
        int at = start + 1;
        while (at < words.size()
                && Set.of("WITH", "WITHOUT", "TIME", "ZONE", "PRECISION", "VARYING")
                        .contains(words.get(at))) {
            at++;
        }
        return at < words.size() && (words.get(at).equals("[") || words.get(at).equals("ARRAY"));
    }

    private static @Nullable ColumnType type(String name) {
        DataType type =
                switch (name) {
                    case "INT", "INTEGER", "INT4" -> DataType.INTEGER;
                    case "BIGINT", "INT8" -> DataType.BIGINT;
                    case "SMALLINT", "INT2" -> DataType.SMALLINT;
                    case "TEXT" -> DataType.TEXT;
                    case "VARCHAR" -> DataType.VARCHAR;
                    case "BOOLEAN", "BOOL" -> DataType.BOOLEAN;
                    case "NUMERIC", "DECIMAL" -> DataType.NUMERIC;
                    case "REAL", "FLOAT4" -> DataType.REAL;
                    case "FLOAT8", "DOUBLE" -> DataType.DOUBLE;
                    case "DATE" -> DataType.DATE;
                    case "TIMESTAMPTZ" -> DataType.TIMESTAMPTZ;
                    case "UUID" -> DataType.UUID;
                    case "BYTEA" -> DataType.BYTEA;
                    case "JSONB", "JSON" -> DataType.JSON;
                    default -> DataType.UNKNOWN;
                };
        return type == DataType.UNKNOWN ? null : ColumnType.of(type);
    }
}
