package petrichor.kv.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.bytes;
import static petrichor.kv.testkit.Rows.value;

import org.junit.jupiter.api.Test;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;

/** Conformance of the durable step of tier C. */
public interface PlainRowConformance extends StoreUnderTest {

    private static DurableStep.PlainRow step(KeyValueStore store) {
        return (DurableStep.PlainRow) store.durableStep();
    }

    @Test
    default void plainRowSurvivesReopening() {
        KeyValueStore first = open();
        var step = step(first);
        first.createTable(TABLE);
        step.put(TABLE, bytes("a"), bytes("1"));
        try (KeyValueStore store = reopen(first)) {
            assertThat(value(store, "a")).isEqualTo("1");
        }
    }
}
