package petrichor.transactions.log;

import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.DurableStep;
import petrichor.kv.Reads;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionMemory;
import petrichor.transactions.rows.TableLayout;
import petrichor.transactions.scheduling.Scheduler;

/**
 * Creates the commit points of databases: in the best form that their store supports, or as a log
 * if some of their rows are in other stores, since no batch spans stores. Thread-safe.
 */
public final class CommitPoints {
    private final RoutedStores stores;
    private final TransactionLimits limits;
    private final TransactionMemory memory;
    private final UnappliedMemory unapplied;
    private final Scheduler scheduler;
    private final TimeSource time;
    private final RandomGenerator chance;

    public CommitPoints(
            RoutedStores stores,
            TransactionLimits limits,
            TransactionMemory memory,
            Scheduler scheduler,
            TimeSource time,
            RandomGenerator chance) {
        this.stores = stores;
        this.limits = limits;
        this.memory = memory;
        this.unapplied = new UnappliedMemory(memory);
        this.scheduler = scheduler;
        this.time = time;
        this.chance = chance;
    }

    public RoutedStores stores() {
        return stores;
    }

    public TransactionMemory memory() {
        return memory;
    }

    /**
     * @param alone true if no other process can have committed until now
     */
    public CommitPoint of(TableLayout layout, BooleanSupplier alone) {
        return stores.others().isEmpty()
                        && stores.home().durableStep() instanceof DurableStep.AtomicBatch step
                ? new AtomicCommitPoint(stores.home(), step, layout, memory.history(), alone)
                : log(
                        layout,
                        alone,
                        new RowApplication(
                                stores.all().stream()
                                        .map(store -> RowTarget.of(store, layout))
                                        .toList(),
                                new StoredPlacement(stores.placement())),
                        stores.reads());
    }

    /**
     * A log in the home store.
     *
     * @param application of the log to the rows
     * @param stored the rows as applied
     */
    public LogCommitPoint log(
            TableLayout layout, BooleanSupplier alone, LogApplication application, Reads stored) {
        return new LogCommitPoint(
                stores.home(),
                application,
                stored,
                layout,
                scheduler,
                limits,
                unapplied,
                memory.history(),
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
