package petrichor.movement;

import com.google.datastore.v1.Entity;
import org.jspecify.annotations.Nullable;

/**
 * Entities from somewhere outside, one after the other. Belongs to one thread. A record that cannot
 * be read does not end the source: {@link #next} yields it as {@link Bad} and continues after it
 * with the next call. Failures that make this impossible are thrown.
 */
public interface EntitySource extends AutoCloseable {
    /** What one record turned out to be. */
    sealed interface Entry permits Good, Bad {
        /** Where the record stands; {@code number} counts the records of the source from 1. */
        Place place();
    }

    /** A readable record; {@code bytes} is its length in the source. */
    record Good(Place place, Entity entity, int bytes) implements Entry {}

    /**
     * A record that says nothing sensible: why, what to do, and its text (empty when it is binary).
     */
    record Bad(Place place, String reason, String text) implements Entry {}

    /** A record's file and number, as in {@code people.jsonl:17}. */
    record Place(String file, long number) {
        @Override
        public String toString() {
            return file + ":" + number;
        }
    }

    /** The next record, or null at the end. */
    @Nullable Entry next();

    /** All bytes that will be read, for a progress bar; -1 when unknown. */
    long bytesTotal();

    /** Bytes read until now, on the scale of {@link #bytesTotal}. */
    long bytesRead();

    @Override
    void close();
}
