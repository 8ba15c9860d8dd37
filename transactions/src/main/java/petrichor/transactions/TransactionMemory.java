package petrichor.transactions;

import petrichor.base.MemoryBudget;

/**
 * Memory shared by the transactions of all databases of a process; {@link TransactionLimits} bounds
 * each database.
 *
 * @param readSets reads remembered by open transactions
 * @param queued commits waiting for a durable step, in one, or durable and not applied to their
 *     rows
 * @param unapplied the part of {@code queued} that durable commits may fill before others wait for
 *     them; only for stores that cannot write a commit and its rows at once
 * @param caches the row cache, recent writes kept for conflict detection, and {@code history}
 * @param history the part of {@code caches} for versions that recent commits replaced
 */
public record TransactionMemory(
        MemoryBudget readSets,
        MemoryBudget queued,
        MemoryBudget unapplied,
        MemoryBudget caches,
        MemoryBudget history) {
    private static final int READ_SETS_PERCENT = 15;
    private static final int QUEUED_PERCENT = 20;
    private static final int CACHES_PERCENT = 10;

    /** Of the share of queued commits. */
    private static final int UNAPPLIED_PERCENT = 50;

    /** Of the share of caches. */
    private static final int HISTORY_PERCENT = 25;

    /** Shares of the process's memory; call only once per process. */
    public static TransactionMemory of(MemoryBudget process) {
        MemoryBudget queued = process.sharePercent("commits", QUEUED_PERCENT);
        MemoryBudget caches = process.sharePercent("caches", CACHES_PERCENT);
        return new TransactionMemory(
                process.sharePercent("transactions", READ_SETS_PERCENT),
                queued,
                queued.sharePercent("unapplied", UNAPPLIED_PERCENT),
                caches,
                caches.sharePercent("history", HISTORY_PERCENT));
    }

    /** For a process that is bounded only by the limits of its databases. */
    public static TransactionMemory unlimited() {
        return of(MemoryBudget.unlimited());
    }

    /** The other half is for history and conflict windows. */
    public long rowCacheBytesMax() {
        return caches.bytesMax() / 2;
    }
}
