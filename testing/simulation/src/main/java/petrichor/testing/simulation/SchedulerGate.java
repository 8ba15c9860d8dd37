package petrichor.testing.simulation;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the committer's thread of one process waits, inside a durable step, for what the scheduler
 * decides. With it only one thread moves at any time, although there are two: the scheduler goes on
 * only when the committer waits here or has nothing left to do.
 */
final class SchedulerGate {
    /** Nothing in a simulation takes so long. */
    private static final long HANG_MAX_MS = TimeUnit.SECONDS.toMillis(60);

    /** What becomes of a durable step. */
    enum Fate {
        LANDS,
        /** The store says that it failed, and it did. */
        FAILS,
        /** The store does not know; it is written. */
        UNKNOWN_LANDED,
        /** The store does not know; it is not written. */
        UNKNOWN_LOST,
        /** The store does not know; it may be written any time later. */
        UNKNOWN_LATE,
        /** The connection breaks after it was written. */
        BREAKS_LANDED,
        /** The process dies; it was written before. */
        DIES_LANDED,
        /** The process dies; what was not synced is lost. */
        DIES_LOST,
        /** The process dies; what it sent may arrive any time later. */
        DIES_LATE
    }

    private boolean occupied;
    private @Nullable Fate fate;

    /** Called by the committer's thread. */
    synchronized Fate pass() {
        occupied = true;
        notifyAll();
        while (fate == null) {
            waitABit();
        }
        Fate decided = fate;
        fate = null;
        return decided;
    }

    synchronized boolean occupied() {
        return occupied;
    }

    /** Called by the scheduler; the committer's thread goes on. */
    synchronized void decide(Fate decided) {
        occupied = false;
        fate = decided;
        notifyAll();
    }

    /** Something that {@link #awaitQuiet} waits for has changed. */
    synchronized void ring() {
        notifyAll();
    }

    /**
     * Waits until the committer's thread is in the gate or owes nobody an answer.
     *
     * @param lockWaits how many of the answers wait for locks: not the committer, but an event of
     *     the scheduler brings those
     */
    synchronized void awaitQuiet(
            Collection<? extends CompletableFuture<?>> answers, IntSupplier lockWaits) {
        while (!occupied
                && answers.stream().filter(answer -> !answer.isDone()).count()
                        > lockWaits.getAsInt()) {
            waitABit();
        }
    }

    @SuppressWarnings("WaitNotInLoop") // the callers loop; here we only look for hangs
    private void waitABit() {
        long before = System.nanoTime();
        try {
            wait(HANG_MAX_MS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the simulation was interrupted", interrupted);
        }
        if (TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before) >= HANG_MAX_MS) {
            throw new IllegalStateException("the simulated process hangs");
        }
    }
}
