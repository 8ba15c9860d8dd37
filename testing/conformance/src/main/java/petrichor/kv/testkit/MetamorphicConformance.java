package petrichor.kv.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import petrichor.kv.KeyValueStore;

/**
 * Random operations, with restarts in between, give the same answers and the same errors on a store
 * and on a reference: the memory store with the same durable step, and with views if the store has
 * them.
 */
public interface MetamorphicConformance extends StoreUnderTest {
    int SEEDS = 10;
    int OPERATIONS = 400;

    /** How many of the last operations a failure shows. */
    int OPERATIONS_SHOWN = 12;

    /** How many seeds are tried; fewer for a store that takes its time. */
    default int metamorphicSeeds() {
        return SEEDS;
    }

    /** How many operations each seed has. */
    default int metamorphicOperations() {
        return OPERATIONS;
    }

    KeyValueStore openReference();

    KeyValueStore reopenReference(KeyValueStore reference);

    @Test
    default void randomOperationsGiveTheAnswersOfTheReference() {
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
                    .as("what the reference offers")
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
