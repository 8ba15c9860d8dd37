package petrichor.rpc;

import java.util.Optional;

/** Finds the owners of databases. Thread-safe. */
public interface OwnerDirectory {
    /** The presumed owner, without waiting. */
    Optional<Owner> known(String database);

    /**
     * Queries the coordination service, and waits for it. UNAVAILABLE if the database has no owner
     * now.
     *
     * @param take claims the database for this server if it has no owner, even if placement prefers
     *     another server: another server forwarded the call here. A database that this server has
     *     just handed over is left to the next owner
     */
    Owner find(String database, boolean take);

    /** That server turned out not to be the owner. */
    void invalidate(String database, Owner.There owner);
}
