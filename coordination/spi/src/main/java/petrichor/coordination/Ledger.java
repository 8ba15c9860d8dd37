package petrichor.coordination;

import java.util.List;
import java.util.Optional;

/**
 * The SPI of coordination services: a tree of small entries, each in a folder, several of which
 * change atomically. All readers see changes in one order. A read may be a little behind, but never
 * shows an earlier state than one that the same ledger object has shown.
 *
 * <p>Safe for any thread. Calls wait for the service, at most a few seconds, then fail with {@code
 * UNAVAILABLE}; the outcome of the changes is unknown then.
 */
public interface Ledger extends AutoCloseable {
    /** As {@link Change.Replace} and {@link Change.Delete} of the present entry. */
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

    /** A condition or a change. Paths are {@code folder/name}; any character may be in a name. */
    sealed interface Change {
        Place place();

        /** Changes nothing, but there must be an entry. */
        record Expect(Place place) implements Change {}

        /** There must be none. */
        record Create(Place place, byte[] value) implements Change {}

        /** There must be one, of this version. */
        record Replace(Place place, byte[] value, long version) implements Change {}

        /** There must be one, of this version. */
        record Delete(Place place, long version) implements Change {}
    }

    /** Where an entry lies. */
    record Place(String folder, String name) {
        public Place {
            if (!folder.matches("[a-z]{1,20}") || name.isEmpty()) {
                throw new IllegalArgumentException("invalid path: '" + folder + "/" + name + "'");
            }
        }
    }

    Optional<Entry> read(Place place);

    /** The names in a folder, in no order; none if nothing was ever made there. */
    List<String> list(String folder);

    /**
     * Makes all of the changes, durably, or none of them.
     *
     * @return false if something was not as the changes expect
     */
    boolean change(List<Change> changes);

    /** Why the service cannot be used now; empty while it can. Does not wait. */
    Optional<String> problem();

    @Override
    void close();
}
