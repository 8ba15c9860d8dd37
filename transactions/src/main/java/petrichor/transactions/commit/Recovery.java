package petrichor.transactions.commit;

import java.util.function.BooleanSupplier;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.log.CommitPoint;

/**
 * Determines the outcome of a failed durable step: takes a new fence, which shuts out writes in
 * flight, and reads the last durable step from the store. Only under the lease, and after a failure
 * only after a pause. Belongs to the thread that performs a step.
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

    /** Something failed; the first attempt may follow at once. */
    void begin() {
        lastAttempt = time.monotonicNanos() - pauseNanos;
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
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "This server's lease on the database has expired.",
                    "database",
                    database);
        }
    }
}
