package petrichor.transactions;

import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * All databases of one store: opens (and recovers) a database on first use, creates it if it does
 * not exist, and closes idle ones. Owns the sequencers and their threads, not the store.
 */
public interface Databases extends AutoCloseable {
    Database open(String name);

    /** The same for a database that exists; null, and nothing is created, if it does not. */
    default @Nullable Database openExisting(String name) {
        return names().contains(name) ? open(name) : null;
    }

    List<String> names();

    /**
     * Removes the database with all its rows and history; nothing if it does not exist.
     * FAILED_PRECONDITION if it has branches.
     */
    void drop(String name);

    /**
     * Creates a branch: a database that shares the rows of another one as of a version, and keeps
     * its own writes. Copies nothing.
     *
     * @param parent must exist
     * @param at the version to share, microseconds since 1970; empty for the newest commit
     */
    Branch branch(String name, String parent, OptionalLong at);

    /** All branches. */
    List<Branch> branches();

    @Override
    void close();
}
