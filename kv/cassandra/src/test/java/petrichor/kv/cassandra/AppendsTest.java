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

/**
 * Rows queued during one proposal are sent together in the next one, and each gets its own result.
 */
class AppendsTest {
    private static final int SLOTS = 8;
    private static final int CONTENDERS = 4;

    private static final CassandraServer SERVER = CassandraServer.shared();

    @Test
    void eachSlotGetsOneOfItsContenders() throws Exception {
        try (KeyValueStore store = new CassandraPlugin().open(SERVER.newStore())) {
            store.createTable(TABLE);
            ConditionalRow step = step(store);
            List<Callable<Outcome>> appends = new ArrayList<>();
            for (int contender = 0; contender < CONTENDERS; contender++) {
                for (int slot = 0; slot < SLOTS; slot++) {
                    byte[] value = bytes("contender " + contender);
                    appends.add(putIfAbsent(step, "slot " + slot, value));
                }
            }
            List<Outcome> outcomes = allAtOnce(appends);
            for (int slot = 0; slot < SLOTS; slot++) {
                List<Outcome> its = new ArrayList<>();
                for (int contender = 0; contender < CONTENDERS; contender++) {
                    its.add(outcomes.get(contender * SLOTS + slot));
                }
                assertThat(its).as("slot %d", slot).containsOnlyOnce(Outcome.DONE);
                assertThat(step.read(TABLE, bytes("slot " + slot)))
                        .isEqualTo(bytes("contender " + its.indexOf(Outcome.DONE)));
            }
        }
    }

    @Test
    void freeSlotsAreFilledDespiteATakenOne() throws Exception {
        try (KeyValueStore store = new CassandraPlugin().open(SERVER.newStore())) {
            store.createTable(TABLE);
            ConditionalRow step = step(store);
            assertThat(putIfAbsent(step, "taken", bytes("v")).call()).isEqualTo(Outcome.DONE);
            List<Callable<Outcome>> appends = new ArrayList<>();
            for (int slot = 0; slot < SLOTS; slot++) {
                appends.add(putIfAbsent(step, "slot " + slot, bytes("v")));
                appends.add(putIfAbsent(step, "taken", bytes("other")));
            }
            List<Outcome> outcomes = allAtOnce(appends);
            for (int slot = 0; slot < SLOTS; slot++) {
                assertThat(outcomes.get(2 * slot)).as("slot %d", slot).isEqualTo(Outcome.DONE);
                assertThat(outcomes.get(2 * slot + 1)).isEqualTo(Outcome.FENCED);
            }
            assertThat(step.read(TABLE, bytes("taken"))).isEqualTo(bytes("v"));
        }
    }

    private static Callable<Outcome> putIfAbsent(ConditionalRow step, String slot, byte[] value) {
        return () -> step.putIfAbsent(TABLE, bytes(slot), value);
    }

    private static List<Outcome> allAtOnce(List<Callable<Outcome>> appends) throws Exception {
        List<Outcome> outcomes = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(appends.size())) {
            for (Future<Outcome> outcome : threads.invokeAll(appends)) {
                outcomes.add(outcome.get());
            }
        }
        return outcomes;
    }
}
