package petrichor.kv.memory;

import java.util.Objects;
import petrichor.kv.DurableStep;

/**
 * How a {@link MemoryStore} behaves, so that it can stand in for any kind of datastore.
 *
 * @param tier the form of its {@link DurableStep}
 * @param nativeViews whether it offers views; without them its scans read every row as it is when
 *     the scan comes to it, as weaker stores do
 */
public record MemoryOptions(Tier tier, boolean nativeViews) {
    /** The forms of a commit point. */
    public enum Tier {
        /** {@link DurableStep.AtomicBatch}. */
        A,
        /** {@link DurableStep.ConditionalRow}; batches are then not atomic across rows. */
        B,
        /** {@link DurableStep.PlainAppend}, a form of B. */
        B_PLAIN,
        /** {@link DurableStep.PlainRow}; batches are then not atomic across rows. */
        C
    }

    public static final MemoryOptions DEFAULT = new MemoryOptions(Tier.A, true);

    public MemoryOptions {
        Objects.requireNonNull(tier);
    }

    public MemoryOptions withTier(Tier newTier) {
        return new MemoryOptions(newTier, nativeViews);
    }

    public MemoryOptions withoutViews() {
        return new MemoryOptions(tier, false);
    }
}
