package petrichor.transactions;

import petrichor.base.MemoryBudget;

/**
 * What the transactions of all databases of a process may hold together; {@link TransactionLimits}
 * bounds each of them alone.
 *
 * @param readSets what open transactions remember of their reads
 * @param queued commits that wait for a durable step
 * @param caches recently used rows, and recent writes kept for finding conflicts
 */
public record TransactionMemory(MemoryBudget readSets, MemoryBudget queued, MemoryBudget caches) {
    private static final int READ_SETS_PERCENT = 15;
    private static final int QUEUED_PERCENT = 20;
    private static final int CACHES_PERCENT = 10;

    /** Shares of the process's memory; to be called once for it. */
    public static TransactionMemory of(MemoryBudget process) {
        return new TransactionMemory(
                process.sharePercent("transactions", READ_SETS_PERCENT),
                process.sharePercent("commits", QUEUED_PERCENT),
                process.sharePercent("caches", CACHES_PERCENT));
    }

    /** For a process that is bounded by the limits of its databases alone. */
    public static TransactionMemory unlimited() {
        return of(MemoryBudget.unlimited());
    }

    /** The other half is for conflict windows. */
    public long rowCacheBytesMax() {
        return caches.bytesMax() / 2;
    }
}
