package petrichor.kv.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import petrichor.kv.KeyValueStore;

/**
 * Random operations, with restarts in between, give the same answers and the same errors on a store
 * and on a reference (the memory store). For stores of tier A with views.
 */
public interface MetamorphicConformance extends StoreUnderTest {
    int SEEDS = 10;
    int OPERATIONS = 400;

    /** How many of the last operations a failure shows. */
    int OPERATIONS_SHOWN = 12;

    KeyValueStore openReference();

    KeyValueStore reopenReference(KeyValueStore reference);

    @Test
    default void randomOperationsGiveTheAnswersOfTheReference() {
        Seeds.each(SEEDS, this::compareWithReference);
    }

    private void compareWithReference(SplittableRandom random) {
        RandomOperations operations = new RandomOperations(random);
        Deque<String> history = new ArrayDeque<>();
        try (StoreDriver tested = new StoreDriver(open(), this::reopen);
                StoreDriver reference = new StoreDriver(openReference(), this::reopenReference)) {
            for (int i = 0; i < OPERATIONS; i++) {
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
