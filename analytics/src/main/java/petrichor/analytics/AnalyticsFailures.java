package petrichor.analytics;

import petrichor.sql.SqlException;
import petrichor.sql.SqlState;

/** Failures of the analytics engine, with their SQLSTATE. */
final class AnalyticsFailures {
    /** PostgreSQL's system_error. */
    private static final String SYSTEM_ERROR = "58000";

    private AnalyticsFailures() {}

    /** The process ended or did not start. */
    static SqlException workerEnded(String ending, Throwable cause) {
        return new SqlException(
                SYSTEM_ERROR,
                "the analytics worker ended while it executed the query: " + ending,
                "Repeat the query: the worker is started again. Or SET petrichor.engine ="
                        + " 'transactions'.",
                0,
                cause);
    }

    static SqlException canceled() {
        return new SqlException(SqlState.QUERY_CANCELED, "canceling statement due to user request");
    }

    static SqlException timedOut() {
        return new SqlException(
                SqlState.QUERY_CANCELED, "canceling statement due to statement timeout");
    }
}
