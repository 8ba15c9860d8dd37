package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;

import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Snapshot;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.log.RoutedStores;

/** An owner that paused for longer than its lease in the middle of a durable step. */
class LostLeaseTest {
    private enum Server {
        OURS(1),
        THEIRS(2);

        private final long seed;

        Server(long seed) {
            this.seed = seed;
        }
    }

    private final TestTime time = new TestTime();
    private volatile Server holder = Server.OURS;

    @ParameterizedTest
    @EnumSource(names = {"MEMORY_WITHOUT_VIEWS", "MEMORY_WITH_LOG"})
    void aDatabaseIsNotTakenBackFromTheLeaseHolder(TestStore kind) {
        try (FaultyStore store = new FaultyStore(MemoryStore.open(kind.options()));
                RowDatabases ours = open(store, Server.OURS);
                RowDatabases theirs = open(store, Server.THEIRS)) {
            RowDatabase former = ours.open("test");
            committed(put(former, "a", "1"));
            store.meanwhile =
                    () -> {
                        holder = Server.THEIRS;
                        theirs.open("test");
                    };
            store.fault = FaultyStore.Fault.WRITTEN_BUT_UNKNOWN;
            assertThat(put(former, "a", "2").join()).isInstanceOf(CommitResult.Unknown.class);
            // The holder of the lease serves now; its readers would miss a commit that it does not
            // know of.
            assertThat(put(former, "b", "1").join()).isNotInstanceOf(CommitResult.Committed.class);
            RowDatabase now = theirs.open("test");
            try (Snapshot snapshot = now.snapshot()) {
                assertThat(Rows.text(snapshot.get(Rows.bytes("a")))).isEqualTo("2");
            }
            committed(put(now, "b", "2"));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MEMORY_WITHOUT_VIEWS", "MEMORY_WITH_LOG"})
    void anOwnerThatLosesItsLeaseDuringATakeoverCommitsNothing(TestStore kind) {
        try (FaultyStore store = new FaultyStore(MemoryStore.open(kind.options()));
                RowDatabases ours = open(store, Server.OURS);
                RowDatabases theirs = open(store, Server.THEIRS)) {
            RowDatabase former = ours.open("test");
            committed(put(former, "a", "1"));
            store.fault = FaultyStore.Fault.NOT_WRITTEN_AND_UNKNOWN;
            store.beforeTaking =
                    () -> {
                        store.beforeTaking = () -> {};
                        holder = Server.THEIRS;
                        theirs.open("test");
                    };
            assertThat(put(former, "a", "2").join()).isInstanceOf(CommitResult.Unknown.class);
            assertThat(put(former, "b", "1").join()).isNotInstanceOf(CommitResult.Committed.class);
            holder = Server.OURS;
            time.advanceMicros(10_000_000);
            committed(put(former, "b", "2"));
        }
    }

    private RowDatabases open(FaultyStore store, Server server) {
        RowDatabases databases =
                new RowDatabases(
                        RoutedStores.of(store),
                        TransactionLimits.DEFAULT,
                        time,
                        new SplittableRandom(server.seed),
                        new HeldScheduler(time));
        databases.ownWhile(_ -> holder == server);
        return databases;
    }
}
