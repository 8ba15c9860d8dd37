package petrichor.coordination;

import java.util.List;
import java.util.Optional;

/**
 * The SPI of coordination services: a tree of small entries in folders, several of which change
 * atomically. All readers see changes in one order. A read may be slightly stale, but never shows
 * an earlier state than the same ledger object has shown before.
 *
 * <p>Thread-safe. Calls wait for the service, at most a few seconds, then fail with {@code
 * UNAVAILABLE}; the outcome of the changes is unknown then.
 */
public interface Ledger extends AutoCloseable {
    /** Accepted by {@link Change.Replace} and {@link Change.Delete} for the current version. */
    long ANY_VERSION = -1;

    /** Longest value, in bytes. */
    int VALUE_BYTES_MAX = 64 << 10;

    /**
     * The entry at a path.
     *
     * @param version grows by one with each change of this entry
     * @param stamp grows with every change of the whole ledger: the later of two changes has the
     *     higher one, even if the entry was removed and recreated in between
     */
    record Entry(byte[] value, long version, long stamp) {}

    /** A condition or a change. Paths are {@code folder/name}; a name may contain any character. */
    sealed interface Change {
        Place place();

        /** Changes nothing, but the entry must exist. */
        record Expect(Place place) implements Change {}

        /** The entry must not exist. */
        record Create(Place place, byte[] value) implements Change {}

        /** The entry must exist with this version. */
        record Replace(Place place, byte[] value, long version) implements Change {}

        /** The entry must exist with this version. */
        record Delete(Place place, long version) implements Change {}
    }

    /** The path of an entry. */
    record Place(String folder, String name) {
        public Place {
            if (!folder.matches("[a-z]{1,20}") || name.isEmpty()) {
                throw new IllegalArgumentException("invalid path: '" + folder + "/" + name + "'");
            }
        }
    }

    Optional<Entry> read(Place place);

    /** The names in a folder, in no particular order; empty if the folder was never used. */
    List<String> list(String folder);

    /**
     * Makes all of the changes, durably, or none of them.
     *
     * @return false if a condition did not hold
     */
    boolean change(List<Change> changes);

    /** Why the service cannot be used now; empty while it can. Does not wait. */
    Optional<String> problem();

    @Override
    void close();
}
