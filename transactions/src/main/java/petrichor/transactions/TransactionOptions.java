package petrichor.transactions;

import org.jspecify.annotations.Nullable;

/** Concurrency control of a transaction. */
public sealed interface TransactionOptions {
    /** Validated at commit; a transaction that conflicts fails with ABORTED. */
    record Optimistic(@Nullable TransactionId previous) implements TransactionOptions {}

    /** Takes shared locks on rows that it reads, and exclusive locks on rows that it writes. */
    record Pessimistic(@Nullable TransactionId previous) implements TransactionOptions {}

    /**
     * Neither validated nor locked.
     *
     * @param readTime microseconds since 1970; 0 for the newest version
     */
    record ReadOnly(long readTime) implements TransactionOptions {}
}
