package petrichor.kv.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.bytes;
import static petrichor.kv.testkit.Rows.step;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import petrichor.kv.DurableStep.ConditionalRow;
import petrichor.kv.DurableStep.Outcome;
import petrichor.kv.KeyValueStore;

/** What waits for one proposal goes together in the next one, and each hears what is its own. */
class AppendsTest {
    private static final int SLOTS = 8;
    private static final int CONTENDERS = 4;

    @Test
    void eachSlotGetsOneOfItsContendersAndATakenOneNone() throws Exception {
        try (KeyValueStore store =
                new CassandraPlugin().open(CassandraServer.shared().newStore())) {
            store.createTable(TABLE);
            ConditionalRow step = step(store);
            assertThat(step.putIfAbsent(TABLE, bytes("taken"), bytes("v"))).isEqualTo(Outcome.DONE);
            List<Callable<Outcome>> appends = new ArrayList<>();
            for (int contender = 0; contender < CONTENDERS; contender++) {
                for (int slot = 0; slot < SLOTS; slot++) {
                    byte[] key = bytes("slot " + slot);
                    byte[] value = bytes("contender " + contender);
                    appends.add(() -> step.putIfAbsent(TABLE, key, value));
                }
                appends.add(() -> step.putIfAbsent(TABLE, bytes("taken"), bytes("other")));
            }
            List<Outcome> outcomes = new ArrayList<>();
            try (ExecutorService threads = Executors.newFixedThreadPool(appends.size())) {
                for (Future<Outcome> outcome : threads.invokeAll(appends)) {
                    outcomes.add(outcome.get());
                }
            }
            for (int slot = 0; slot < SLOTS; slot++) {
                List<Outcome> its = new ArrayList<>();
                for (int contender = 0; contender < CONTENDERS; contender++) {
                    its.add(outcomes.get(contender * (SLOTS + 1) + slot));
                }
                assertThat(its).as("slot %d", slot).containsOnlyOnce(Outcome.DONE);
                int first = its.indexOf(Outcome.DONE);
                assertThat(step.read(TABLE, bytes("slot " + slot)))
                        .isEqualTo(bytes("contender " + first));
            }
            assertThat(step.read(TABLE, bytes("taken"))).isEqualTo(bytes("v"));
        }
    }
}
