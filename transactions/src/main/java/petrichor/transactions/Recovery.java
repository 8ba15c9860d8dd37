package petrichor.transactions;

import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * Determines the outcome of a failed durable step: takes a new fence, which shuts out writes in
 * flight, reads the last durable step from the store, and completes the waiting commits. Only under
 * the lease, and after a failure only after a pause. Belongs to the holder of the {@link
 * Committer}'s lock.
 */
final class Recovery {
    private final String database;
    private final CommitPoint commitPoint;
    private final BooleanSupplier leased;
    private final long pauseNanos;
    private final TimeSource time;

    private long lastAttempt;
    private @Nullable LostStep lost;

    Recovery(
            String database,
            CommitPoint commitPoint,
            BooleanSupplier leased,
            TransactionLimits limits,
            TimeSource time) {
        this.database = database;
        this.commitPoint = commitPoint;
        this.leased = leased;
        this.pauseNanos = limits.recoveryPause().toNanos();
        this.time = time;
    }

    /** Something failed; the first attempt may follow at once. */
    void begin() {
        lastAttempt = time.monotonicNanos() - pauseNanos;
    }

    /** As {@link #begin()}, with the completions of the commits that wait for this step. */
    void begin(LostStep step) {
        lost = step;
        begin();
    }

    boolean isDue() {
        return time.monotonicNanos() - lastAttempt >= pauseNanos;
    }

    /** After any exception of the store, the database may be ours or not. */
    CommitPoint.Taken takeBack() {
        lastAttempt = time.monotonicNanos();
        requireLease();
        CommitPoint.Taken taken = commitPoint.take();
        // Only now it counts: until this moment no other server has served. A successor that was
        // serving when we took the database does not know that it is fenced, and its readers would
        // miss our commits.
        requireLease();
        return taken;
    }

    private void requireLease() {
        if (!leased.getAsBoolean()) {
            throw new PetrichorException(
                    ErrorCode.UNAVAILABLE,
                    "This server's lease on the database has expired.",
                    Map.of("database", database));
        }
    }

    /** Returns how many commits turned out to be written. */
    int tellFate(CommitPoint.LastCommit last, List<Runnable> tell) {
        LostStep step = lost;
        lost = null;
        if (step == null) {
            return 0;
        }
        LostStep.Fate fate = step.fate(last);
        step.tell(fate, database, tell);
        return fate == LostStep.Fate.WRITTEN ? step.admitted() : 0;
    }

    /** It could not be found out, and those who wait don't wait any longer. */
    void tellUnknown(PetrichorException reason, List<Runnable> tell) {
        LostStep step = lost;
        lost = null;
        if (step != null) {
            step.tellUnknown(reason, tell);
        }
    }
}
