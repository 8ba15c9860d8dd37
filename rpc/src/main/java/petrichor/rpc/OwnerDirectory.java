package petrichor.rpc;

import java.util.Optional;

/** Knows the owners of databases. Safe for any thread. */
public interface OwnerDirectory {
    /** The presumed owner, without waiting. */
    Optional<Owner> known(String database);

    /**
     * Asks the coordination service; waits for it. UNAVAILABLE if there is no owner now.
     *
     * @param take claims the database for this server if it has no owner, even if placement prefers
     *     another one: another server forwarded the call here
     */
    Owner find(String database, boolean take);

    /** That server turned out not to be the owner. */
    void invalidate(String database, Owner.There owner);
}
