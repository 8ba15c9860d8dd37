package petrichor.kv.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.bytes;
import static petrichor.kv.testkit.Rows.failure;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.step;
import static petrichor.kv.testkit.Rows.value;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep.Outcome;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;

/** A ring of three nodes tolerates the failure of one, but not of two. */
@Tag("slow")
class ThreeNodesTest {
    private static final int ROWS = 100;
    private static final Duration GOES_ON_MAX = Duration.ofSeconds(60);

    @Test
    void oneNodeOfThreeMayFailAndReturn() throws Exception {
        try (CassandraServer server = CassandraServer.ofItsOwn(3)) {
            refuseOneCopy(server);
            try (KeyValueStore store = new CassandraPlugin().open(server.newStore())) {
                store.createTable(TABLE);
                fill(store, 0);
                for (int lost = 3; lost >= 1; lost--) {
                    server.server().kill(lost);
                    fill(store, 4 - lost);
                    server.server().start(lost);
                }
                for (int round = 0; round <= 3; round++) {
                    for (int row = 0; row < ROWS; row++) {
                        assertThat(value(store, "versioned " + round + " " + row)).isEqualTo("v");
                    }
                    assertThat(value(store, "plain " + round)).isEqualTo("v");
                }
            }
        }
    }

    private static void refuseOneCopy(CassandraServer server) {
        server.operator(
                session ->
                        session.execute(
                                "CREATE KEYSPACE single WITH replication = {'class':"
                                        + " 'NetworkTopologyStrategy', 'datacenter1': 1}"));
        assertThat(
                        failure(
                                ErrorCode.FAILED_PRECONDITION,
                                () -> new CassandraPlugin().open(server.keyspace("single"))))
                .contains("1 of 3 nodes");
    }

    /** Continues while a node is missing, after the others have noticed. */
    private static void fill(KeyValueStore store, int round) {
        for (int row = 0; row < ROWS; row++) {
            WriteBatch batch =
                    new WriteBatch()
                            .put(TABLE, bytes("versioned " + round + " " + row), bytes("v"));
            int version = round * ROWS + row;
            untilItWorks(() -> step(store).putIfNewer(batch, version));
        }
        untilItWorks(() -> store.write(put("plain " + round, "v")));
        byte[] slot = bytes("slot " + round);
        untilItWorks(
                () -> {
                    if (step(store).putIfAbsent(TABLE, slot, slot) == Outcome.UNKNOWN) {
                        assertThat(step(store).read(TABLE, slot)).isIn(null, slot);
                    }
                });
    }

    private static void untilItWorks(Runnable work) {
        long end = System.nanoTime() + GOES_ON_MAX.toNanos();
        while (true) {
            try {
                work.run();
                return;
            } catch (PetrichorException notYet) {
                assertThat(notYet.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                assertThat(System.nanoTime()).as("time until it goes on").isLessThan(end);
            }
        }
    }
}
