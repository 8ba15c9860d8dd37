package petrichor.tuples;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/** A write of one tuple. */
public sealed interface TupleWrite {
    String collection();

    String key();

    Condition condition();

    /** What must be true of the tuple for the write to happen. */
    sealed interface Condition {
        Condition NONE = new Any();

        /** Nothing. */
        record Any() implements Condition {}

        /** There is no tuple with the key. */
        record Absent() implements Condition {}

        /** There is a tuple with the key. */
        record Present() implements Condition {}

        /** There is a tuple with the key that has this revision. */
        record AtRevision(long revision) implements Condition {}
    }

    /**
     * Creates or replaces a tuple.
     *
     * @param value owned by the write
     */
    record Put(
            String collection, String key, byte[] value, SortedSet<Tag> tags, Condition condition)
            implements TupleWrite {
        public Put {
            tags = Collections.unmodifiableSortedSet(new TreeSet<>(tags));
            Tuple.require(key, value, tags);
        }
    }

    /** Deletes a tuple, if it exists. */
    record Delete(String collection, String key, Condition condition) implements TupleWrite {
        public Delete {
            Tuple.requireKey(key);
        }
    }
}
