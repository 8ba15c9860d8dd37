package petrichor.transactions.migration;

/** What a migration does now. Stored by name. */
public enum MigrationPhase {
    /** Copies rows, while the steps of the database are captured. */
    COPY,
    /** Applies captured steps until few are left. */
    CATCH_UP,
    /** Compares both stores at one version, and follows. */
    VERIFY,
    /** The other store is equal and follows: the database can be switched to it. */
    READY,
    /** The database was switched; its former store follows, so that it can be switched back. */
    REVERSIBLE,
    /** Removes the rows in the store that followed. */
    END,
    /** Follows no longer: the other store did not keep up. */
    STOPPED;

    /** Whether each step of the database is captured. */
    public boolean captures() {
        return switch (this) {
            case COPY, CATCH_UP, VERIFY, READY, REVERSIBLE -> true;
            case END, STOPPED -> false;
        };
    }

    /** Whether the database can be switched to the store that follows. */
    public boolean switchable() {
        return switch (this) {
            case READY, REVERSIBLE -> true;
            case COPY, CATCH_UP, VERIFY, END, STOPPED -> false;
        };
    }
}
