package petrichor.sql;

import java.util.Set;

/** First words of statements, and kinds of objects, that PostgreSQL has and this SQL has not. */
final class StatementWords {
    private static final Set<String> STATEMENTS =
            Set.of(
                    "CALL",
                    "CHECKPOINT",
                    "CLUSTER",
                    "COPY",
                    "DO",
                    "GRANT",
                    "IMPORT",
                    "LISTEN",
                    "LOAD",
                    "LOCK",
                    "NOTIFY",
                    "REASSIGN",
                    "REFRESH",
                    "REINDEX",
                    "REVOKE",
                    "SECURITY");

    /** After CREATE, ALTER and DROP. */
    private static final Set<String> OBJECTS =
            Set.of(
                    "ACCESS",
                    "AGGREGATE",
                    "CAST",
                    "COLLATION",
                    "CONSTRAINT",
                    "CONVERSION",
                    "DATABASE",
                    "DEFAULT",
                    "EVENT",
                    "EXTENSION",
                    "FOREIGN",
                    "FUNCTION",
                    "GROUP",
                    "LANGUAGE",
                    "LARGE",
                    "MATERIALIZED",
                    "OPERATOR",
                    "OWNED",
                    "POLICY",
                    "PROCEDURAL",
                    "PROCEDURE",
                    "PUBLICATION",
                    "RECURSIVE",
                    "ROLE",
                    "ROUTINE",
                    "RULE",
                    "SERVER",
                    "STATISTICS",
                    "SUBSCRIPTION",
                    "SYSTEM",
                    "TABLESPACE",
                    "TEXT",
                    "TRANSFORM",
                    "TRIGGER",
                    "TRUSTED",
                    "TYPE",
                    "USER");

    private StatementWords() {}

    /** The error of a statement with an unknown first word. */
    static SqlException unknownStatement(String word) {
        return STATEMENTS.contains(word)
                ? unsupported(word)
                : new SqlException(
                        SqlState.SYNTAX_ERROR, "syntax error at or near \"" + word + "\"");
    }

    /** The error of a definition of an unknown kind of object. */
    static SqlException unknownObject(String verb, String kind) {
        return OBJECTS.contains(kind)
                ? unsupported(verb + " " + kind)
                : new SqlException(
                        SqlState.SYNTAX_ERROR, "syntax error at or near \"" + kind + "\"");
    }

    static SqlException unsupported(String what) {
        return new SqlException(SqlState.FEATURE_NOT_SUPPORTED, what + ": not supported");
    }
}
