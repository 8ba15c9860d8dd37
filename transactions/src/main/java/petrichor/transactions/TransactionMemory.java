package petrichor.transactions;

import petrichor.base.MemoryBudget;

/**
 * Memory shared by the transactions of all databases of a process; {@link TransactionLimits} bounds
 * each database.
 *
 * @param readSets reads remembered by open transactions
 * @param queued commits waiting for a durable step
 * @param caches the row cache, and recent writes kept for conflict detection
 */
public record TransactionMemory(MemoryBudget readSets, MemoryBudget queued, MemoryBudget caches) {
    private static final int READ_SETS_PERCENT = 15;
    private static final int QUEUED_PERCENT = 20;
    private static final int CACHES_PERCENT = 10;

    /** Shares of the process's memory; call only once per process. */
    public static TransactionMemory of(MemoryBudget process) {
        return new TransactionMemory(
                process.sharePercent("transactions", READ_SETS_PERCENT),
                process.sharePercent("commits", QUEUED_PERCENT),
                process.sharePercent("caches", CACHES_PERCENT));
    }

    /** For a process that is bounded only by the limits of its databases. */
    public static TransactionMemory unlimited() {
        return of(MemoryBudget.unlimited());
    }

    /** The other half is for conflict windows. */
    public long rowCacheBytesMax() {
        return caches.bytesMax() / 2;
    }
}
