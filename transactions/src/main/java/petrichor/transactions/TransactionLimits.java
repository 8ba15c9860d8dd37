package petrichor.transactions;

import java.time.Duration;

/**
 * Every bound of this module.
 *
 * @param retention how far back {@code read_time} may reach
 * @param transactionIdle a transaction without requests for this long has ended
 * @param transactionTotal a transaction lives no longer than this
 * @param transactionsOpenMax open transactions per database
 * @param transactionReadBytesMax what one transaction may remember of its reads, in bytes
 * @param commitBytesMax keys and values of one commit, as the store will hold them
 * @param batchBytesMax a durable step takes no further commit once it has so many bytes
 * @param queueBytesMax commits that wait for the sequencer, in bytes; more are refused
 * @param windowBytesMax recent writes kept for finding conflicts, in bytes of memory; readers older
 *     than what is kept are validated against the store, or refused if they scanned
 * @param lockWait longest wait for a lock
 * @param priorityHold how long a retried transaction that validates at commit keeps others away
 * @param footprintsMax lost transactions whose reads and writes are remembered for their retry
 * @param recoveryPause a store that failed is not tried again before
 * @param idBlock numbers reserved by one durable step
 * @param unappliedBytesMax commits that are durable and not in their rows yet, in bytes of memory;
 *     only where the store cannot write both at once. The store must also be expected to apply them
 *     within {@code applyWait}; a single commit is always accepted
 * @param applyWait a commit that waits for a smaller backlog is refused once the store has applied
 *     nothing for this long
 * @param rowCacheBytesMax recently used rows of all databases of the process that stay in memory,
 *     in bytes; 0 for none
 */
public record TransactionLimits(
        Duration retention,
        Duration transactionIdle,
        Duration transactionTotal,
        int transactionsOpenMax,
        long transactionReadBytesMax,
        long commitBytesMax,
        long batchBytesMax,
        long queueBytesMax,
        long windowBytesMax,
        Duration lockWait,
        Duration priorityHold,
        int footprintsMax,
        Duration recoveryPause,
        int idBlock,
        long unappliedBytesMax,
        Duration applyWait,
        long rowCacheBytesMax) {

    public static final TransactionLimits DEFAULT =
            new TransactionLimits(
                    Duration.ofHours(1),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(270),
                    10_000,
                    64L << 20,
                    64L << 20,
                    16L << 20,
                    256L << 20,
                    96L << 20,
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(2),
                    10_000,
                    Duration.ofSeconds(1),
                    1_000,
                    64L << 20,
                    Duration.ofSeconds(5),
                    Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 8));

    /** What a durable step writes beside the commits in it. */
    private static final long OWN_ROWS_BYTES = 4L << 10;

    public TransactionLimits {
        requirePositive("retention", retention);
        requirePositive("transactionIdle", transactionIdle);
        requirePositive("transactionTotal", transactionTotal);
        requirePositive("lockWait", lockWait);
        requirePositive("priorityHold", priorityHold);
        requirePositive("transactionsOpenMax", transactionsOpenMax);
        requirePositive("transactionReadBytesMax", transactionReadBytesMax);
        requirePositive("commitBytesMax", commitBytesMax);
        requirePositive("batchBytesMax", batchBytesMax);
        requirePositive("windowBytesMax", windowBytesMax);
        requirePositive("footprintsMax", footprintsMax);
        requirePositive("idBlock", idBlock);
        requirePositive("unappliedBytesMax", unappliedBytesMax);
        requirePositive("applyWait", applyWait);
        if (rowCacheBytesMax < 0) {
            throw new IllegalArgumentException("rowCacheBytesMax must not be negative");
        }
        if (queueBytesMax < commitBytesMax) {
            throw new IllegalArgumentException("queueBytesMax must hold at least one commit");
        }
    }

    private static void requirePositive(String name, Duration value) {
        requirePositive(name, value.toNanos());
    }

    private static void requirePositive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be positive");
        }
    }

    public TransactionLimits withRetention(Duration value) {
        return new TransactionLimits(
                value,
                transactionIdle,
                transactionTotal,
                transactionsOpenMax,
                transactionReadBytesMax,
                commitBytesMax,
                batchBytesMax,
                queueBytesMax,
                windowBytesMax,
                lockWait,
                priorityHold,
                footprintsMax,
                recoveryPause,
                idBlock,
                unappliedBytesMax,
                applyWait,
                rowCacheBytesMax);
    }

    /**
     * For a store that takes no larger batch than this. A durable step takes commits until it has
     * {@code batchBytesMax}, so the last one comes on top of them: each may have half.
     */
    public TransactionLimits withBatchesUpTo(long storeBatchBytesMax) {
        long half = Math.max(1, (storeBatchBytesMax - OWN_ROWS_BYTES) / 2);
        return new TransactionLimits(
                retention,
                transactionIdle,
                transactionTotal,
                transactionsOpenMax,
                transactionReadBytesMax,
                Math.min(commitBytesMax, half),
                Math.min(batchBytesMax, half),
                queueBytesMax,
                windowBytesMax,
                lockWait,
                priorityHold,
                footprintsMax,
                recoveryPause,
                idBlock,
                unappliedBytesMax,
                applyWait,
                rowCacheBytesMax);
    }

    public TransactionLimits withWindowBytesMax(long value) {
        return new TransactionLimits(
                retention,
                transactionIdle,
                transactionTotal,
                transactionsOpenMax,
                transactionReadBytesMax,
                commitBytesMax,
                batchBytesMax,
                queueBytesMax,
                value,
                lockWait,
                priorityHold,
                footprintsMax,
                recoveryPause,
                idBlock,
                unappliedBytesMax,
                applyWait,
                rowCacheBytesMax);
    }

    public TransactionLimits withLockWait(Duration value) {
        return new TransactionLimits(
                retention,
                transactionIdle,
                transactionTotal,
                transactionsOpenMax,
                transactionReadBytesMax,
                commitBytesMax,
                batchBytesMax,
                queueBytesMax,
                windowBytesMax,
                value,
                priorityHold,
                footprintsMax,
                recoveryPause,
                idBlock,
                unappliedBytesMax,
                applyWait,
                rowCacheBytesMax);
    }

    public TransactionLimits withLifetime(Duration idle, Duration total) {
        return new TransactionLimits(
                retention,
                idle,
                total,
                transactionsOpenMax,
                transactionReadBytesMax,
                commitBytesMax,
                batchBytesMax,
                queueBytesMax,
                windowBytesMax,
                lockWait,
                priorityHold,
                footprintsMax,
                recoveryPause,
                idBlock,
                unappliedBytesMax,
                applyWait,
                rowCacheBytesMax);
    }

    public TransactionLimits withUnapplied(long bytesMax, Duration wait) {
        return new TransactionLimits(
                retention,
                transactionIdle,
                transactionTotal,
                transactionsOpenMax,
                transactionReadBytesMax,
                commitBytesMax,
                batchBytesMax,
                queueBytesMax,
                windowBytesMax,
                lockWait,
                priorityHold,
                footprintsMax,
                recoveryPause,
                idBlock,
                bytesMax,
                wait,
                rowCacheBytesMax);
    }

    public TransactionLimits withRowCache(long bytesMax) {
        return new TransactionLimits(
                retention,
                transactionIdle,
                transactionTotal,
                transactionsOpenMax,
                transactionReadBytesMax,
                commitBytesMax,
                batchBytesMax,
                queueBytesMax,
                windowBytesMax,
                lockWait,
                priorityHold,
                footprintsMax,
                recoveryPause,
                idBlock,
                unappliedBytesMax,
                applyWait,
                bytesMax);
    }
}
