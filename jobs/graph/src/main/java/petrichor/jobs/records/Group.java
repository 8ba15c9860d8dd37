package petrichor.jobs.records;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The records of one key, as a one-pass stream in order of arrival. Unread records are skipped. In
 * a for loop each record is valid until the next one is taken.
 */
public interface Group extends Iterable<RecordView> {
    /** A record with this group's key, valid as long as the group; of an empty group it is null. */
    @Nullable RecordView key();

    /** The next record, or null at the end. */
    @Nullable RecordView next();

    @Override
    default Iterator<RecordView> iterator() {
        return new Iterator<>() {
            private @Nullable RecordView ahead = Group.this.next();

            @Override
            public boolean hasNext() {
                return ahead != null || (ahead = Group.this.next()) != null;
            }

            @Override
            public RecordView next() {
                RecordView record = ahead == null ? Group.this.next() : ahead;
                ahead = null;
                if (record == null) {
                    throw new NoSuchElementException("the group has no more records");
                }
                return record;
            }
        };
    }
}
