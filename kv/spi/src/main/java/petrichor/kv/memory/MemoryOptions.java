package petrichor.kv.memory;

import java.util.Objects;
import petrichor.kv.DurableStep;

/**
 * Options of a {@link MemoryStore}, with which it emulates any kind of datastore.
 *
 * @param tier the form of its {@link DurableStep}
 * @param nativeViews whether it supports views; without them its scans read every row when they
 *     reach it, as in weaker stores
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
