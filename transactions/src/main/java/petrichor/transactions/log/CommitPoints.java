package petrichor.transactions.log;

import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.DurableStep;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionMemory;
import petrichor.transactions.rows.RowLayout;
import petrichor.transactions.scheduling.Scheduler;

/**
 * Creates the commit points of databases: in the best form that their store supports, or as a log
 * if some of their rows are in other stores, since no batch spans stores.
 */
public record CommitPoints(
        RoutedStores stores,
        TransactionLimits limits,
        TransactionMemory memory,
        Scheduler scheduler,
        TimeSource time,
        RandomGenerator chance) {

    /**
     * @param alone true if no other process can have committed until now
     */
    public CommitPoint of(RowLayout layout, BooleanSupplier alone) {
        return stores.others().isEmpty()
                        && stores.home().durableStep() instanceof DurableStep.AtomicBatch step
                ? new AtomicCommitPoint(stores.home(), step, layout, alone)
                : new LogCommitPoint(
                        stores,
                        layout,
                        scheduler,
                        limits,
                        time,
                        new SplittableRandom(chance.nextLong()),
                        alone);
    }

    public static PetrichorException unsupported() {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "This store has no conditional writes, and transactions over such stores are not"
                        + " supported yet. Use a store that writes a batch atomically or a row"
                        + " conditionally.");
    }
}
