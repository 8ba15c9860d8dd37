package petrichor.movement;

import com.google.datastore.v1.Entity;
import org.jspecify.annotations.Nullable;

/**
 * An iterator over entities from an external source. Confined to one thread. An invalid record does
 * not end the source: {@link #next} returns it as {@link Bad}, and the next call continues after
 * it. Failures that prevent continuing are thrown.
 */
public interface EntitySource extends AutoCloseable {
    /** A record of the source, valid or invalid. */
    sealed interface Entry permits Good, Bad {
        /** The position of the record; {@code number} counts the records of the source from 1. */
        Place place();
    }

    /** A valid record; {@code bytes} is its length in the source. */
    record Good(Place place, Entity entity, int bytes) implements Entry {}

    /** An invalid record: the reason with a remedy, and its text (empty if it is binary). */
    record Bad(Place place, String reason, String text) implements Entry {}

    /** The file and number of a record, as in {@code people.jsonl:17}. */
    record Place(String file, long number) {
        @Override
        public String toString() {
            return file + ":" + number;
        }
    }

    /** The next record, or null at the end. */
    @Nullable Entry next();

    /** Total number of bytes to read, for a progress bar; -1 if unknown. */
    long bytesTotal();

    /** Number of bytes read so far, out of {@link #bytesTotal}. */
    long bytesRead();

    @Override
    void close();
}
