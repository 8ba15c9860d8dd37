package petrichor.transactions.log;

import petrichor.base.MemoryBudget;

/**
 * The memory that the commits of one durable step reserved when they were queued. It is returned at
 * the end of the step, except the part that a commit point keeps until the rows are applied.
 * Confined to the thread that performs the step.
 */
public final class StepMemory implements AutoCloseable {
    /** For steps without commits of clients. */
    public static final StepMemory NONE = new StepMemory(MemoryBudget.unlimited(), 0);

    private final MemoryBudget budget;
    private long bytes;

    /**
     * @param bytes that the budget has granted
     */
    public StepMemory(MemoryBudget budget, long bytes) {
        this.budget = budget;
        this.bytes = bytes;
    }

    public long bytes() {
        return bytes;
    }

    /** Leaves all bytes to the caller, who returns them to the budget. */
    long keep() {
        long kept = bytes;
        bytes = 0;
        return kept;
    }

    @Override
    public void close() {
        budget.release(keep());
    }
}
