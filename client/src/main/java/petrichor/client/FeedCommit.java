package petrichor.client;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A committed transaction of the change feed, complete or reduced to what was asked for.
 *
 * @param position to continue after this commit; also its version
 */
public record FeedCommit(long position, Instant time, List<Change> changes) {
    public FeedCommit {
        changes = List.copyOf(changes);
    }

    /**
     * An entity that the transaction changed.
     *
     * @param before the replaced entity; null if it was created
     * @param after the entity as written; null if it was deleted
     */
    public record Change(Key key, @Nullable Entity before, @Nullable Entity after) {
        // Not the compact form: its class file would lack the nullness of the entities.
        public Change(Key key, @Nullable Entity before, @Nullable Entity after) {
            this.key = key;
            this.before = before;
            this.after = after;
        }
    }
}
