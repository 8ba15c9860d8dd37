package petrichor.transactions.log;

import petrichor.base.MemoryBudget;

/**
 * The memory that the commits of one durable step reserved when they were queued. It is returned at
 * the end of the step, unless a commit point keeps it until the rows are applied ({@link
 * UnappliedMemory}). Used by one thread at a time.
 */
public final class StepMemory implements AutoCloseable {
    /** For steps without commits of clients. */
    public static final StepMemory NONE = new StepMemory(MemoryBudget.unlimited(), 0);

    private MemoryBudget budget;
    private long bytes;
    private Runnable returned = () -> {};

    /**
     * @param bytes that the budget has granted
     */
    public StepMemory(MemoryBudget budget, long bytes) {
        this.budget = budget;
        this.bytes = bytes;
    }

    /**
     * Counts the bytes in a share of the budget as well. False, and nothing changes, if the share
     * has too little left.
     *
     * @param afterReturn called when the bytes are returned at the end of the step
     */
    boolean moveTo(MemoryBudget share, Runnable afterReturn) {
        if (budget == share) {
            return true;
        }
        if (!share.tryTakeFromAbove(bytes)) {
            return false;
        }
        budget = share;
        returned = afterReturn;
        return true;
    }

    /** Leaves all bytes to the caller, who returns them to their budget. */
    Held keep() {
        Held kept = new Held(budget, bytes);
        bytes = 0;
        return kept;
    }

    @Override
    public void close() {
        Held rest = keep();
        if (rest.bytes > 0) {
            rest.release();
            returned.run();
        }
    }

    /** Bytes of a budget that must be returned to it. */
    record Held(MemoryBudget budget, long bytes) {
        void release() {
            budget.release(bytes);
        }
    }
}
