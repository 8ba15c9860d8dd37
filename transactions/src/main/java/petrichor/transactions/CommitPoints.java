package petrichor.transactions;

import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;

/** Finds the form of the commit point that a store offers. */
final class CommitPoints {
    private CommitPoints() {}

    static CommitPoint of(KeyValueStore store, RowLayout layout) {
        return switch (store.durableStep()) {
            case DurableStep.AtomicBatch step -> new AtomicCommitPoint(store, step, layout);
            case DurableStep.ConditionalRow _ ->
                    throw unsupported("writes single rows conditionally");
            case DurableStep.PlainRow _ -> throw unsupported("writes nothing conditionally");
        };
    }

    private static PetrichorException unsupported(String what) {
        return new PetrichorException(
                ErrorCode.FAILED_PRECONDITION,
                "This store "
                        + what
                        + ", and transactions over such stores are not built yet. Use one that"
                        + " writes a batch atomically, such as the embedded store.");
    }
}
