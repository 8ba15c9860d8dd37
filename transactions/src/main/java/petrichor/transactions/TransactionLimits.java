package petrichor.transactions;

import java.time.Duration;

/**
 * All limits of this module.
 *
 * @param retention how far back {@code read_time} may reach
 * @param transactionIdle a transaction without requests for this long has ended
 * @param transactionTotal maximum lifetime of a transaction
 * @param transactionsOpenMax open transactions per database
 * @param transactionReadBytesMax size of the read set of one transaction, in bytes
 * @param commitBytesMax keys and values of one commit, as the store will hold them
 * @param batchBytesMax size in bytes from which a durable step accepts no further commit
 * @param queueBytesMax commits waiting for the sequencer, in bytes; further ones are refused
 * @param windowBytesMax recent writes kept for conflict detection, in bytes of memory; readers
 *     older than these are validated against the store, or refused if they scanned
 * @param lockWait longest wait for a lock
 * @param priorityHold how long a retried transaction that validates at commit holds its locks
 * @param accessSetsMax lost transactions whose reads and writes are remembered for their retry
 * @param recoveryPause pause before a failed store is tried again
 * @param idBlock numbers reserved by one durable step
 * @param unappliedBytesMax commits that are durable but not yet applied to their rows, in bytes of
 *     memory; only for stores that cannot write both at once. The store must also be expected to
 *     apply them within {@code applyWait}; a single commit is always accepted
 * @param applyWait a commit that waits for a smaller backlog is refused once the store has applied
 *     nothing for this long
 * @param rowCacheBytesMax size of the row cache, shared by all databases of the process, in bytes;
 *     0 for none
 * @param consumerHold how long history and changes are kept for a consumer of the change feed that
 *     is further behind than {@code retention}; after that it has lost its position
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
        int accessSetsMax,
        Duration recoveryPause,
        int idBlock,
        long unappliedBytesMax,
        Duration applyWait,
        long rowCacheBytesMax,
        Duration consumerHold) {

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
                    Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 8),
                    Duration.ofHours(24));

    /** What a durable step writes in addition to its commits. */
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
        requirePositive("accessSetsMax", accessSetsMax);
        requirePositive("idBlock", idBlock);
        requirePositive("unappliedBytesMax", unappliedBytesMax);
        requirePositive("applyWait", applyWait);
        requirePositive("consumerHold", consumerHold);
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
                accessSetsMax,
                recoveryPause,
                idBlock,
                unappliedBytesMax,
                applyWait,
                rowCacheBytesMax,
                consumerHold);
    }

    /**
     * For a store with this maximum batch size. A durable step accepts commits until it has {@code
     * batchBytesMax}, and the last one may exceed that: each gets half.
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
                accessSetsMax,
                recoveryPause,
                idBlock,
                unappliedBytesMax,
                applyWait,
                rowCacheBytesMax,
                consumerHold);
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
                accessSetsMax,
                recoveryPause,
                idBlock,
                unappliedBytesMax,
                applyWait,
                rowCacheBytesMax,
                consumerHold);
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
                accessSetsMax,
                recoveryPause,
                idBlock,
                unappliedBytesMax,
                applyWait,
                rowCacheBytesMax,
                consumerHold);
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
                accessSetsMax,
                recoveryPause,
                idBlock,
                unappliedBytesMax,
                applyWait,
                rowCacheBytesMax,
                consumerHold);
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
                accessSetsMax,
                recoveryPause,
                idBlock,
                bytesMax,
                wait,
                rowCacheBytesMax,
                consumerHold);
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
                accessSetsMax,
                recoveryPause,
                idBlock,
                unappliedBytesMax,
                applyWait,
                bytesMax,
                consumerHold);
    }

    public TransactionLimits withConsumerHold(Duration value) {
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
                accessSetsMax,
                recoveryPause,
                idBlock,
                unappliedBytesMax,
                applyWait,
                rowCacheBytesMax,
                value);
    }
}
