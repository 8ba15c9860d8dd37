package petrichor.kv.testkit;

import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;

/** The features of a store on which the choice of operations depends. */
record Offer(Step step, boolean views) {
    enum Step {
        ATOMIC_BATCH,
        CONDITIONAL_ROW,
        PLAIN_ROW
    }

    static Offer of(KeyValueStore store) {
        Step step =
                switch (store.durableStep()) {
                    case DurableStep.AtomicBatch _ -> Step.ATOMIC_BATCH;
                    case DurableStep.ConditionalRow _ -> Step.CONDITIONAL_ROW;
                    case DurableStep.PlainRow _ -> Step.PLAIN_ROW;
                };
        return new Offer(step, store.capabilities().views());
    }
}
