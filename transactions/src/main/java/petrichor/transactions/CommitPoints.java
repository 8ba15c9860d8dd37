package petrichor.transactions;

import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;

/** Makes the commit points of databases in the form that their store offers. */
record CommitPoints(
        KeyValueStore store,
        TransactionLimits limits,
        Background background,
        RandomGenerator chance) {

    /**
     * @param alone nobody else can have committed until now
     */
    CommitPoint of(RowLayout layout, BooleanSupplier alone) {
        return switch (store.durableStep()) {
            case DurableStep.AtomicBatch step -> new AtomicCommitPoint(store, step, layout, alone);
            case DurableStep.ConditionalRow step ->
                    new LogCommitPoint(
                            store,
                            step,
                            layout,
                            background,
                            limits,
                            new SplittableRandom(chance.nextLong()),
                            alone);
            case DurableStep.PlainRow _ -> throw unsupported();
        };
    }

    static PetrichorException unsupported() {
        return new PetrichorException(
                ErrorCode.FAILED_PRECONDITION,
                "This store writes nothing conditionally, and transactions over such stores are"
                        + " not built yet. Use one that writes a batch atomically or a row"
                        + " conditionally.");
    }
}
