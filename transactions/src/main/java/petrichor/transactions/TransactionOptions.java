package petrichor.transactions;

import org.jspecify.annotations.Nullable;

/** How a transaction runs. */
public sealed interface TransactionOptions {
    /** Validated at commit; losers get ABORTED. */
    record Optimistic(@Nullable TransactionId previous) implements TransactionOptions {}

    /** Shared locks on what it reads, exclusive ones on what it writes. */
    record Pessimistic(@Nullable TransactionId previous) implements TransactionOptions {}

    /**
     * Never validated, never locked.
     *
     * @param readTime microseconds since 1970; 0 for the newest version
     */
    record ReadOnly(long readTime) implements TransactionOptions {}
}
