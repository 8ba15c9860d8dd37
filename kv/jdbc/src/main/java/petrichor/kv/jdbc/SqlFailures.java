package petrichor.kv.jdbc;

import java.sql.SQLException;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreFailures;

/** Translates a server's errors for the caller. */
record SqlFailures(String store) {

    /**
     * @param table the table of the request
     */
    PetrichorException of(SqlFault fault, SQLException e, String table) {
        return switch (fault) {
            case NO_TABLE -> StoreFailures.noSuchTable(table);
            case UNREACHABLE, TIMEOUT -> StoreFailures.unreachable(store, e);
            case ROLLED_BACK ->
                    failure(
                            ErrorCode.UNAVAILABLE,
                            "could not resolve conflicting writes of the same rows; nothing was"
                                    + " written, retry",
                            e);
            case FULL ->
                    failure(
                            ErrorCode.UNAVAILABLE,
                            "is out of disk space, memory or connections; add more",
                            e);
            case READ_ONLY ->
                    failure(
                            ErrorCode.UNAVAILABLE,
                            "is read-only; point store.url at the primary server",
                            e);
            case AUTH_FAILED ->
                    failure(
                            ErrorCode.UNAUTHENTICATED,
                            "rejected the login; check the user in store.url and its password",
                            e);
            case DENIED ->
                    failure(
                            ErrorCode.PERMISSION_DENIED,
                            "denied a required permission; grant the user all rights on the"
                                    + " database",
                            e);
            case NO_DATABASE ->
                    failure(
                            ErrorCode.FAILED_PRECONDITION,
                            "has no such database; create it, or correct the name in store.url",
                            e);
            case FENCED, OTHER ->
                    failure(ErrorCode.INTERNAL, "failed unexpectedly; report this", e);
        };
    }

    private PetrichorException failure(ErrorCode code, String what, SQLException e) {
        return PetrichorException.of(
                code,
                e,
                "the store {store} {problem} ({reason})",
                "problem",
                what,
                "reason",
                firstLine(e),
                "store",
                store,
                "sqlState",
                String.valueOf(e.getSQLState()));
    }

    static String firstLine(SQLException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
}
