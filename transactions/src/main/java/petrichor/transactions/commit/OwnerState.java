package petrichor.transactions.commit;

import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** State of a database in the process that owns it. */
enum OwnerState {
    OPEN,
    /** A step failed, and its outcome is still unknown. */
    BROKEN,
    /** Another owner has taken over the database. */
    FENCED,
    CLOSED;

    /** Permanently. */
    boolean isOver() {
        return this == FENCED || this == CLOSED;
    }

    /**
     * The error for requests to it.
     *
     * @param lastFailure of the store
     */
    PetrichorException refusal(String database, @Nullable PetrichorException lastFailure) {
        return switch (this) {
            case OPEN, BROKEN ->
                    PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            lastFailure,
                            "The store does not accept writes now; what was written before is safe"
                                    + " and can be read. Retry later, and look at the server's log"
                                    + " for the cause.",
                            "database",
                            database);
            case FENCED ->
                    PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            "Another server has taken over this database; retry there.",
                            "database",
                            database);
            case CLOSED ->
                    PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            "This database was closed; retry.",
                            "database",
                            database);
        };
    }
}
