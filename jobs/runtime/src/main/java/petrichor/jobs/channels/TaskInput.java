package petrichor.jobs.channels;

import org.jspecify.annotations.Nullable;

/**
 * The receiver's side of an input of one subtask: a gate of its own, or a share in the gate of its
 * task. Belongs to the subtask's thread; others may read only how long it has waited.
 */
public interface TaskInput extends AutoCloseable {
    /** Number of senders of an input whose channels are merged in order. */
    int senders();

    /** The next block of any sender, or null at the end. The caller owns it. */
    @Nullable Block next();

    /** The next block of this sender, or null when it has ended. */
    @Nullable Block next(int sender);

    /** Terminates early: this subtask wants no more. */
    void cancelUpstream();

    /** Total time the receiver has waited so far, including a current wait. */
    long waitedNanos();

    @Override
    void close();
}
