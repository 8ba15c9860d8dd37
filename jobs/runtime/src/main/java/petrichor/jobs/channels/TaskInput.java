package petrichor.jobs.channels;

import org.jspecify.annotations.Nullable;

/**
 * The receiver's side of an input of one subtask: a gate of its own, or a membership at one that
 * all subtasks of its task share. Belongs to the subtask, but for what it has waited.
 */
public interface TaskInput extends AutoCloseable {
    /** How many senders an input has whose channels are merged in order. */
    int senders();

    /** The next block of any sender, or null when none comes any more. The caller owns it. */
    @Nullable Block next();

    /** The next block of this sender, or null when it has ended. */
    @Nullable Block next(int sender);

    /** This subtask wants no more. */
    void enough();

    /** How long the receiver has waited so far, the wait that it is in included. */
    long waitedNanos();

    @Override
    void close();
}
