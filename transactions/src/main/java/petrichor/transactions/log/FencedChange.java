package petrichor.transactions.log;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.WriteBatch;

/**
 * Optimistic read-modify-write of a store: a substitute for conditional writes in stores that guard
 * batches by fences. Keeps the fence between changes. A process that lost the fence takes it back
 * and reads again. The fence does not imply ownership, only that the data has not changed since it
 * was read.
 *
 * <p>After an unknown outcome the fence is taken again before anything is read, which shuts out
 * writes in flight.
 *
 * <p>Thread-safe; changes are serialized.
 */
final class FencedChange {
    /** Attempts, each lost to another process; this many in a row do not occur in practice. */
    private static final int ATTEMPTS_MAX = 100;

    private final DurableStep.AtomicBatch step;
    private final byte[] domain;
    private @Nullable Long fence;

    FencedChange(DurableStep.AtomicBatch step, byte[] domain) {
        this.step = step;
        this.domain = domain;
    }

    /**
     * FENCED if the change is empty.
     *
     * @param change reads the store and returns the rows to write; null for none. Called again if
     *     another process was faster
     */
    synchronized DurableStep.Outcome perform(Supplier<@Nullable WriteBatch> change) {
        for (int attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
            long mine = fence == null ? step.takeFence(domain) : fence;
            // Set again only on success.
            fence = null;
            WriteBatch batch = change.get();
            if (batch == null) {
                fence = mine;
                return DurableStep.Outcome.FENCED;
            }
            switch (step.commit(domain, mine, batch)) {
                case DONE -> {
                    fence = mine;
                    return DurableStep.Outcome.DONE;
                }
                case FENCED -> {}
                case UNKNOWN -> {
                    return DurableStep.Outcome.UNKNOWN;
                }
            }
        }
        throw PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "Other servers kept changing the same rows of the store. Retry.",
                "attempts",
                ATTEMPTS_MAX);
    }
}
