package petrichor.kv.jdbc;

import java.sql.SQLException;
import java.util.Map;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreFailures;

/** What a server's errors become for the caller. */
record SqlFailures(String store) {

    /**
     * @param table that was worked on
     */
    PetrichorException of(SqlFault fault, SQLException e, String table) {
        return switch (fault) {
            case NO_TABLE -> StoreFailures.noSuchTable(table);
            case AWAY, LATE -> StoreFailures.away(store, e);
            case ROLLED_BACK ->
                    failure(
                            ErrorCode.UNAVAILABLE,
                            "was too busy with writes of the same rows; nothing was written, try"
                                    + " again",
                            e);
            case FULL ->
                    failure(
                            ErrorCode.UNAVAILABLE,
                            "has no room left; give it disk, memory or connections",
                            e);
            case READ_ONLY ->
                    failure(
                            ErrorCode.UNAVAILABLE,
                            "takes no writes; point store.url at the server that does",
                            e);
            case LOGIN ->
                    failure(
                            ErrorCode.UNAUTHENTICATED,
                            "does not let us in; check the user in store.url and its password",
                            e);
            case DENIED ->
                    failure(
                            ErrorCode.PERMISSION_DENIED,
                            "lets this user in but not do its work; grant it all rights on the"
                                    + " database",
                            e);
            case NO_DATABASE ->
                    failure(
                            ErrorCode.FAILED_PRECONDITION,
                            "has no such database; create it, or correct the name in store.url",
                            e);
            case FENCED, OTHER ->
                    failure(ErrorCode.INTERNAL, "answered what nobody expected; report this", e);
        };
    }

    private PetrichorException failure(ErrorCode code, String what, SQLException e) {
        return new PetrichorException(
                code,
                "the store " + store + " " + what + " (" + firstLine(e) + ")",
                Map.of("store", store, "sqlState", String.valueOf(e.getSQLState())),
                e);
    }

    static String firstLine(SQLException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
}
