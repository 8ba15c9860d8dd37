package petrichor.sql.h2;

import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import org.h2.api.ErrorCode;
import org.h2.message.DbException;
import org.jspecify.annotations.Nullable;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;

/** Turns failures of H2 and of the store into PostgreSQL's. */
public final class H2Errors {
    /** H2's mark in front of the place of a syntax error. */
    private static final String MARK = "[*]";

    private static final String RETRY = "Retry the whole transaction.";

    private H2Errors() {}

    /** Passes through H2 as the cause of its own exception. */
    static DbException unsupported(String what) {
        return DbException.convert(
                new SqlException(SqlState.FEATURE_NOT_SUPPORTED, what + ": not supported", null));
    }

    /**
     * @param tables names that may have been meant if a table does not exist
     */
    public static SqlException translate(Throwable failed, List<String> tables) {
        Throwable cause = failed;
        SQLException sql = null;
        for (int depth = 0; cause != null && depth < 20; depth++) {
            if (cause instanceof SqlException known) {
                return known;
            }
            if (cause instanceof PetrichorException store) {
                return store(store);
            }
            if (cause instanceof NotOwner) {
                return new SqlException(
                        SqlState.CANNOT_CONNECT_NOW,
                        "another server owns this database: only its owner locks rows",
                        "Connect to that server.",
                        0,
                        cause);
            }
            if (sql == null && cause instanceof SQLException found) {
                sql = found;
            }
            cause = cause.getCause();
        }
        if (failed instanceof StackOverflowError) {
            return new SqlException(
                    "54001", "The statement is nested too deeply; simplify it.", failed);
        }
        if (sql == null) {
            return new SqlException(
                    SqlState.INTERNAL_ERROR, "The statement failed: " + failed, failed);
        }
        return sql(sql, tables);
    }

    private static SqlException store(PetrichorException failed) {
        String text = failed.getMessage() == null ? "" : failed.getMessage();
        return switch (failed.code()) {
            case ABORTED ->
                    new SqlException(
                            SqlState.SERIALIZATION_FAILURE,
                            "could not serialize access: " + text,
                            RETRY,
                            0,
                            failed);
            case RESOURCE_EXHAUSTED ->
                    new SqlException(SqlState.PROGRAM_LIMIT_EXCEEDED, text, failed);
            case DEADLINE_EXCEEDED ->
                    new SqlException(SqlState.STATEMENT_COMPLETION_UNKNOWN, text, failed);
            case UNAVAILABLE -> new SqlException(SqlState.CANNOT_CONNECT_NOW, text, failed);
            case FAILED_PRECONDITION, ALREADY_EXISTS ->
                    new SqlException(SqlState.NOT_IN_PREREQUISITE_STATE, text, failed);
            case INVALID_ARGUMENT, NOT_FOUND ->
                    new SqlException(SqlState.INVALID_PARAMETER, text, failed);
            case PERMISSION_DENIED, UNAUTHENTICATED -> new SqlException("42501", text, failed);
            case UNIMPLEMENTED -> new SqlException(SqlState.FEATURE_NOT_SUPPORTED, text, failed);
            case INTERNAL -> new SqlException(SqlState.INTERNAL_ERROR, text, failed);
        };
    }

    private static SqlException sql(SQLException failed, List<String> tables) {
        String text = message(failed);
        String hint = null;
        String state =
                switch (failed.getErrorCode()) {
                    case ErrorCode.TABLE_OR_VIEW_NOT_FOUND_1,
                            ErrorCode.TABLE_OR_VIEW_NOT_FOUND_WITH_CANDIDATES_2,
                            ErrorCode.TABLE_OR_VIEW_NOT_FOUND_DATABASE_EMPTY_1,
                            ErrorCode.VIEW_NOT_FOUND_1 -> {
                        hint = nearest(quoted(text), tables);
                        yield SqlState.UNDEFINED_TABLE;
                    }
                    case ErrorCode.COLUMN_NOT_FOUND_1 -> SqlState.UNDEFINED_COLUMN;
                    case ErrorCode.SCHEMA_NOT_FOUND_1 -> SqlState.UNDEFINED_SCHEMA;
                    case ErrorCode.INDEX_NOT_FOUND_1,
                            ErrorCode.SEQUENCE_NOT_FOUND_1,
                            ErrorCode.CONSTRAINT_NOT_FOUND_1,
                            ErrorCode.DOMAIN_NOT_FOUND_1,
                            ErrorCode.CONSTANT_NOT_FOUND_1,
                            ErrorCode.UNKNOWN_DATA_TYPE_1 ->
                            SqlState.UNDEFINED_OBJECT;
                    case ErrorCode.TABLE_OR_VIEW_ALREADY_EXISTS_1,
                            ErrorCode.VIEW_ALREADY_EXISTS_1,
                            ErrorCode.INDEX_ALREADY_EXISTS_1,
                            ErrorCode.SEQUENCE_ALREADY_EXISTS_1 ->
                            SqlState.DUPLICATE_TABLE;
                    case ErrorCode.SCHEMA_ALREADY_EXISTS_1 -> SqlState.DUPLICATE_SCHEMA;
                    case ErrorCode.CONSTRAINT_ALREADY_EXISTS_1, ErrorCode.DOMAIN_ALREADY_EXISTS_1 ->
                            SqlState.DUPLICATE_OBJECT;
                    case ErrorCode.DUPLICATE_COLUMN_NAME_1 -> SqlState.DUPLICATE_COLUMN;
                    case ErrorCode.AMBIGUOUS_COLUMN_NAME_1 -> SqlState.AMBIGUOUS_COLUMN;
                    case ErrorCode.DUPLICATE_KEY_1 -> SqlState.UNIQUE_VIOLATION;
                    case ErrorCode.NULL_NOT_ALLOWED -> SqlState.NOT_NULL_VIOLATION;
                    case ErrorCode.REFERENTIAL_INTEGRITY_VIOLATED_PARENT_MISSING_1,
                            ErrorCode.REFERENTIAL_INTEGRITY_VIOLATED_CHILD_EXISTS_1 ->
                            SqlState.FOREIGN_KEY_VIOLATION;
                    case ErrorCode.CHECK_CONSTRAINT_VIOLATED_1,
                            ErrorCode.CHECK_CONSTRAINT_INVALID ->
                            SqlState.CHECK_VIOLATION;
                    case ErrorCode.VALUE_TOO_LONG_2 -> SqlState.STRING_TOO_LONG;
                    case ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE_1,
                            ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE_2 ->
                            SqlState.OUT_OF_RANGE;
                    case ErrorCode.STEP_SIZE_MUST_NOT_BE_ZERO -> SqlState.INVALID_PARAMETER;
                    case ErrorCode.DIVISION_BY_ZERO_1 -> SqlState.DIVISION_BY_ZERO;
                    case ErrorCode.DATA_CONVERSION_ERROR_1 -> SqlState.INVALID_TEXT;
                    case ErrorCode.INVALID_DATETIME_CONSTANT_2 -> SqlState.INVALID_DATETIME;
                    case ErrorCode.SYNTAX_ERROR_1, ErrorCode.SYNTAX_ERROR_2 ->
                            SqlState.SYNTAX_ERROR;
                    case ErrorCode.FUNCTION_NOT_FOUND_1 -> SqlState.UNDEFINED_FUNCTION;
                    case ErrorCode.MUST_GROUP_BY_COLUMN_1 -> SqlState.GROUPING_ERROR;
                    case ErrorCode.SCALAR_SUBQUERY_CONTAINS_MORE_THAN_ONE_ROW ->
                            SqlState.CARDINALITY_VIOLATION;
                    case ErrorCode.STATEMENT_WAS_CANCELED -> {
                        text = "canceling statement due to user request or timeout";
                        yield SqlState.QUERY_CANCELED;
                    }
                    case ErrorCode.CANNOT_DROP_2 -> SqlState.DEPENDENT_OBJECTS;
                    case ErrorCode.FEATURE_NOT_SUPPORTED_1 -> SqlState.FEATURE_NOT_SUPPORTED;
                    case ErrorCode.PARAMETER_NOT_SET_1 -> SqlState.UNDEFINED_PARAMETER;
                    case ErrorCode.TYPES_ARE_NOT_COMPARABLE_2 -> SqlState.DATATYPE_MISMATCH;
                    case ErrorCode.COLUMN_COUNT_DOES_NOT_MATCH -> SqlState.SYNTAX_ERROR;
                    case ErrorCode.ADMIN_RIGHTS_REQUIRED, ErrorCode.NOT_ENOUGH_RIGHTS_FOR_1 ->
                            SqlState.FEATURE_NOT_SUPPORTED;
                    case ErrorCode.OUT_OF_MEMORY -> SqlState.OUT_OF_MEMORY;
                    case ErrorCode.SEQUENCE_EXHAUSTED -> "2200H";
                    default -> other(failed.getSQLState());
                };
        if (state.equals(SqlState.UNIQUE_VIOLATION)) {
            text = "duplicate key value violates unique constraint \"" + quotedDetail(text);
        }
        return new SqlException(state, text, hint, 0, failed);
    }

    /**
     * A place in a text that H2 executed.
     *
     * @param index of a character, from 0
     */
    public record Place(String text, int index) {}

    /** Where H2 found a syntax error; null if the cause is none. */
    public static @Nullable Place place(@Nullable Throwable cause) {
        if (!(cause instanceof SQLException failed)
                || (failed.getErrorCode() != ErrorCode.SYNTAX_ERROR_1
                        && failed.getErrorCode() != ErrorCode.SYNTAX_ERROR_2)) {
            return null;
        }
        String shown = message(failed);
        int from = shown.indexOf('"') + 1;
        int index = shown.indexOf(MARK, from);
        int to = shown.lastIndexOf("\"; expected");
        to = to < index ? shown.lastIndexOf('"') : to;
        if (from == 0 || index < 0 || to < index) {
            return null;
        }
        String before = shown.substring(from, index).replace("\"\"", "\"");
        String after = shown.substring(index + MARK.length(), to).replace("\"\"", "\"");
        return new Place(before + after, before.length());
    }

    /** Names that the message of H2 contains. */
    public static List<String> names(@Nullable Throwable cause) {
        String name = cause instanceof SQLException failed ? quoted(message(failed)) : "";
        return name.isEmpty() ? List.of() : List.of(name);
    }

    /** H2 shares the standard's classes with PostgreSQL; its own classes are internal errors. */
    private static String other(@Nullable String state) {
        if (state == null || state.length() != 5) {
            return SqlState.INTERNAL_ERROR;
        }
        return switch (state.substring(0, 2)) {
            case "22", "23", "21", "42", "40", "57", "0A" -> state;
            default -> state.startsWith("90") ? SqlState.SYNTAX_ERROR : SqlState.INTERNAL_ERROR;
        };
    }

    private static String message(SQLException failed) {
        String text = failed.getMessage() == null ? "" : failed.getMessage();
        int end = text.indexOf("; SQL statement:");
        return end < 0 ? text : text.substring(0, end);
    }

    private static String quoted(String text) {
        int from = text.indexOf('"');
        int to = from < 0 ? -1 : text.indexOf('"', from + 1);
        return to < 0 ? "" : text.substring(from + 1, to);
    }

    private static String quotedDetail(String text) {
        int from = text.indexOf('"');
        if (from < 0) {
            return text;
        }
        String detail = text.substring(from + 1);
        return detail.endsWith("\"") ? detail.substring(0, detail.length() - 1) : detail;
    }

    private static @Nullable String nearest(String name, List<String> tables) {
        String nearest = null;
        int least = Math.max(1, name.length() / 3) + 1;
        for (String table : tables) {
            int distance = distance(name.toLowerCase(Locale.ROOT), table.toLowerCase(Locale.ROOT));
            if (distance < least) {
                least = distance;
                nearest = table;
            }
        }
        return nearest == null ? null : "Perhaps you meant the table \"" + nearest + "\".";
    }

    private static int distance(String left, String right) {
        int[] row = new int[right.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int changed = left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1;
                int best = Math.min(diagonal + changed, Math.min(row[j], row[j - 1]) + 1);
                diagonal = row[j];
                row[j] = best;
            }
        }
        return row[right.length()];
    }
}
