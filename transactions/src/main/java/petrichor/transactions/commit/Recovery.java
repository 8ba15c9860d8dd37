package petrichor.transactions.commit;

import java.util.function.BooleanSupplier;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.log.CommitPoint;

/**
 * Determines the outcome of a failed durable step: takes a new fence, which shuts out writes in
 * flight, and reads the last durable step from the store. Runs only under the lease; after a failed
 * attempt, only after a pause. Confined to the thread that performs a step.
 */
public final class Recovery {
    private final String database;
    private final CommitPoint commitPoint;
    private final BooleanSupplier leased;
    private final long pauseNanos;
    private final TimeSource time;

    private long lastAttempt;

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

    /** A step failed; the first attempt may follow immediately. */
    void begin() {
        lastAttempt = time.monotonicNanos() - pauseNanos;
    }

    boolean isDue() {
        return time.monotonicNanos() - lastAttempt >= pauseNanos;
    }

    /** Takes the database back. If the store throws, ownership is unknown. */
    CommitPoint.Taken takeBack() {
        lastAttempt = time.monotonicNanos();
        requireLease();
        CommitPoint.Taken taken = commitPoint.take();
        // The lease matters only now: until this moment no other server has served. A successor
        // that was serving when we took the database does not know that it is fenced, and its
        // readers would miss our commits.
        requireLease();
        return taken;
    }

    /** The same, if the last step still has this version; otherwise UNAVAILABLE. */
    CommitPoint.Taken takeBackAt(long version) {
        CommitPoint.Taken taken = takeBack();
        if (taken.last().version() != version) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "Another server committed in the database meanwhile.",
                    "database",
                    database);
        }
        return taken;
    }

    private void requireLease() {
        if (!leased.getAsBoolean()) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "This server's lease on the database has expired.",
                    "database",
                    database);
        }
    }
}
