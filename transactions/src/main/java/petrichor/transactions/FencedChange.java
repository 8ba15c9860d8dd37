package petrichor.transactions;

import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.WriteBatch;

/**
 * Looks at a store and then changes it, with nobody between the two: what a store that guards
 * batches by fences offers instead of a conditional write. The fence is kept from one change to the
 * next. Who finds that somebody else took it takes it back and looks again; it says nothing about
 * who owns what, only that nobody changed what was looked at.
 *
 * <p>After an outcome that is not known the fence is taken anew before anything else is looked at:
 * what is still on its way is shut out by that.
 *
 * <p>Safe for any thread; changes take turns.
 */
final class FencedChange {
    /** Each time somebody else was faster; so often in a row they never are. */
    private static final int ATTEMPTS_MAX = 100;

    private final DurableStep.AtomicBatch step;
    private final byte[] domain;
    private @Nullable Long fence;

    FencedChange(DurableStep.AtomicBatch step, byte[] domain) {
        this.step = step;
        this.domain = domain;
    }

    /**
     * FENCED if there was nothing to be changed.
     *
     * @param change looks at the store and says what is to be written; null for nothing. Asked
     *     again if somebody else was faster
     */
    synchronized DurableStep.Outcome perform(Supplier<@Nullable WriteBatch> change) {
        for (int attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
            long mine = fence == null ? step.takeFence(domain) : fence;
            // Known again only if all goes well.
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
        throw new PetrichorException(
                ErrorCode.UNAVAILABLE,
                "Other servers kept changing the same rows of the store. Retry.",
                Map.of("attempts", ATTEMPTS_MAX));
    }
}
