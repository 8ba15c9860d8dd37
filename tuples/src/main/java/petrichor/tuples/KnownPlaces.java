package petrichor.tuples;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Where tuples with an affinity key were found, so that those with the same affinity key are read
 * without their positions first. A guess: a tuple that is not there can be elsewhere. Layouts never
 * change and their ids are never reused, so entries need no invalidation. Thread-safe.
 */
final class KnownPlaces {
    /** About 20 MB. Beyond it, all are forgotten and learned again. */
    static final int ENTRIES_MAX = 100_000;

    private record Name(int layout, String affinityKey) {}

    private final Map<Name, byte[]> prefixes = new ConcurrentHashMap<>();

    /** The prefix of the tuple's row, if it is where others were; null if nothing is known. */
    byte @Nullable [] guess(TupleLayout layout, String key) {
        String affinityKey = layout.affinityKey(key);
        return affinityKey == null ? null : prefixes.get(new Name(layout.id(), affinityKey));
    }

    void learn(TupleLayout layout, String key, byte[] prefix) {
        String affinityKey = layout.affinityKey(key);
        if (affinityKey != null) {
            if (prefixes.size() >= ENTRIES_MAX) {
                prefixes.clear();
            }
            prefixes.put(new Name(layout.id(), affinityKey), prefix);
        }
    }
}
