package petrichor.kv.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import petrichor.kv.KeyValueStore;

/**
 * Metamorphic test: random operations, with restarts in between, have the same results and errors
 * on a store and on a reference, which is the memory store with the same durable step, and with
 * views if the store has them.
 */
public interface MetamorphicConformance extends StoreUnderTest {
    int SEEDS = 10;
    int OPERATIONS = 400;

    /** Number of last operations shown in a failure. */
    int OPERATIONS_SHOWN = 12;

    /** Number of seeds; fewer for a slow store. */
    default int metamorphicSeeds() {
        return SEEDS;
    }

    /** Number of operations per seed. */
    default int metamorphicOperations() {
        return OPERATIONS;
    }

    KeyValueStore openReference();

    KeyValueStore reopenReference(KeyValueStore reference);

    @Test
    default void randomOperationsGiveTheResultsOfTheReference() {
        compareWithReference();
    }

    /** The case itself, for a test of this kit. */
    default void compareWithReference() {
        Seeds.each(metamorphicSeeds(), this::compareOneSeed);
    }

    private void compareOneSeed(SplittableRandom random) {
        Deque<String> history = new ArrayDeque<>();
        try (StoreDriver tested = new StoreDriver(open(), this::reopen);
                StoreDriver reference = new StoreDriver(openReference(), this::reopenReference)) {
            assertThat(Offer.of(reference.store()))
                    .as("capabilities of the reference")
                    .isEqualTo(Offer.of(tested.store()));
            RandomOperations operations = new RandomOperations(random, Offer.of(reference.store()));
            for (int i = 0; i < metamorphicOperations(); i++) {
                StoreDriver.Operation operation = operations.next();
                history.add(operation.text());
                if (history.size() > OPERATIONS_SHOWN) {
                    history.remove();
                }
                assertThat(tested.answer(operation))
                        .as("operation %d, after%n%s", i, String.join("\n", history))
                        .isEqualTo(reference.answer(operation));
            }
        }
    }
}
