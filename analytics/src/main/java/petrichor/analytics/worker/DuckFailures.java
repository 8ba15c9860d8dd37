package petrichor.analytics.worker;

import java.sql.SQLException;
import java.util.Map;
import petrichor.sql.SqlState;

/** SQLSTATEs of DuckDB's errors, which have none: by the start of their message. */
final class DuckFailures {
    static final String DISK_FULL = "53100";

    private static final String CAUSE = "\nError: ";

    private static final Map<String, String> STATES =
            Map.ofEntries(
                    Map.entry("Parser Error", SqlState.SYNTAX_ERROR),
                    Map.entry("Conversion Error", SqlState.INVALID_TEXT),
                    Map.entry("Out of Range Error", SqlState.OUT_OF_RANGE),
                    Map.entry("Out of Memory Error", SqlState.OUT_OF_MEMORY),
                    Map.entry("Permission Error", SqlState.INSUFFICIENT_PRIVILEGE),
                    Map.entry("Not implemented Error", SqlState.FEATURE_NOT_SUPPORTED),
                    Map.entry("Not Implemented Error", SqlState.FEATURE_NOT_SUPPORTED),
                    Map.entry("Invalid Input Error", SqlState.INVALID_PARAMETER),
                    Map.entry("Invalid Error", SqlState.INVALID_PARAMETER),
                    Map.entry("INTERRUPT Error", SqlState.QUERY_CANCELED),
                    Map.entry("Divide by Zero Error", SqlState.DIVISION_BY_ZERO),
                    Map.entry("Mismatch Type Error", SqlState.DATATYPE_MISMATCH));

    private DuckFailures() {}

    static String state(SQLException failed) {
        String message = message(failed);
        if (message.startsWith("Catalog Error")) {
            return message.contains("Function")
                    ? SqlState.UNDEFINED_FUNCTION
                    : SqlState.UNDEFINED_TABLE;
        }
        if (message.startsWith("Binder Error")) {
            return binder(message);
        }
        if (message.contains("Could not convert")) {
            return SqlState.INVALID_TEXT;
        }
        for (Map.Entry<String, String> known : STATES.entrySet()) {
            if (message.startsWith(known.getKey())) {
                return known.getValue();
            }
        }
        return SqlState.INTERNAL_ERROR;
    }

    private static String binder(String message) {
        if (message.contains("GROUP BY clause")) {
            return SqlState.GROUPING_ERROR;
        }
        if (message.contains("Ambiguous reference")) {
            return SqlState.AMBIGUOUS_COLUMN;
        }
        if (message.contains("No function matches")) {
            return SqlState.UNDEFINED_FUNCTION;
        }
        return message.contains("column") || message.contains("Column")
                ? SqlState.UNDEFINED_COLUMN
                : SqlState.SYNTAX_ERROR;
    }

    /** Whether the driver does not say why rows cannot be read. */
    static boolean withoutReason(SQLException failed) {
        return message(failed).contains("Invalid result set");
    }

    /** What failed first: DuckDB puts it after the failure of what waited for it. */
    static String message(SQLException failed) {
        String message = failed.getMessage();
        if (message == null) {
            return "DuckDB reports no reason";
        }
        int cause = message.indexOf(CAUSE);
        return cause < 0 ? message : message.substring(cause + CAUSE.length());
    }
}
