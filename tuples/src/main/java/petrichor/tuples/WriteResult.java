package petrichor.tuples;

import java.util.List;

/** What became of a write. */
public sealed interface WriteResult {
    /**
     * The tuple was created or replaced.
     *
     * @param created whether there was none before
     */
    record Stored(long revision, boolean created) implements WriteResult {}

    /**
     * The tuple was deleted.
     *
     * @param existed whether there was one
     */
    record Deleted(boolean existed) implements WriteResult {}

    /**
     * The condition was not met; nothing was written.
     *
     * @param revision of the tuple as it is; 0 if there is none
     */
    record Refused(long revision) implements WriteResult {}

    /** The condition of another write of the same atomic batch was not met. */
    record NotAttempted() implements WriteResult {}

    /**
     * Results of the writes, in their order.
     *
     * @param applied false if the batch was atomic and a condition was not met
     */
    record Batch(boolean applied, List<WriteResult> results) {
        public Batch {
            results = List.copyOf(results);
        }
    }
}
