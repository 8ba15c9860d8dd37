package petrichor.jobs.engine;

import org.jspecify.annotations.Nullable;

/** The sender's side of an input of a subtask, in this process or in another one. */
interface Receiver {
    /**
     * Hands on a block, waiting while too many are on their way.
     *
     * @return how long it waited in nanoseconds
     */
    long put(int sender, Block block);

    /** This sender sends no more. */
    void end(int sender);

    /** How the newest block was compressed on its way to another process; null if it stays here. */
    default @Nullable String level() {
        return null;
    }

    /** Whether nothing more is wanted. */
    boolean hasEnough();
}
