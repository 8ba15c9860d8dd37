package petrichor.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.base.TimeSource;
import petrichor.coordination.Coordination;
import petrichor.coordination.Ledger;
import petrichor.coordination.embedded.EmbeddedLedger;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.rpc.ClusterRpc;
import petrichor.rpc.Owner;
import petrichor.rpc.PeerAuthentication;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionOptions;
import petrichor.transactions.databases.RowDatabases;

/**
 * Leases are renewed periodically, and a database is claimed once: transactions send no requests to
 * ZooKeeper.
 */
class CoordinationPerTransactionTest {
    private static final int TRANSACTIONS = 300;

    /** Long enough that no renewal happens during the test. */
    private static final Duration LEASE = Duration.ofHours(1);

    @ParameterizedTest
    @EnumSource(
            value = MemoryOptions.Tier.class,
            names = {"A", "B"})
    void transactionsAskNothingOfTheLedger(MemoryOptions.Tier tier) {
        CountedLedger ledger = new CountedLedger(new EmbeddedLedger());
        ClusterSettings settings = new ClusterSettings(LEASE, true, PeerAuthentication.NONE, LEASE);
        try (MemoryStore store =
                        MemoryStore.open(MemoryOptions.DEFAULT.withTier(tier).withoutViews());
                Coordination coordination = new Coordination(ledger, TimeSource.SYSTEM);
                Ownership ownership =
                        new Ownership(
                                coordination, settings, () -> true, _ -> {}, TimeSource.SYSTEM);
                ClusterRpc rpc = new ClusterRpc(ownership, settings.rpc());
                RowDatabases rows = new RowDatabases(store)) {
            ClusterDatabases databases =
                    new ClusterDatabases(rows, store, ownership, rpc.routing(), TimeSource.SYSTEM);
            ownership.join("127.0.0.1:1");
            assertThat(ownership.find("db", true)).isInstanceOf(Owner.Here.class);
            assertThat(ledger.calls()).as("of joining and claiming").isPositive();
            ledger.reset();
            for (int i = 0; i < TRANSACTIONS; i++) {
                increment(databases.open("db"));
            }
            try (Snapshot snapshot = databases.open("db").snapshot()) {
                assertThat(snapshot.get(bytes("n")))
                        .isNotNull()
                        .satisfies(
                                row ->
                                        assertThat(new String(row.value(), UTF_8))
                                                .isEqualTo("" + TRANSACTIONS));
            }
            assertThat(ledger.calls()).isZero();
        }
    }

    private static void increment(Database database) {
        Transaction transaction = database.begin(new TransactionOptions.Optimistic(null));
        var before = transaction.get(bytes("n"));
        int n = before == null ? 0 : Integer.parseInt(new String(before.value(), UTF_8));
        RowWrite write = new RowWrite(bytes("n"), bytes("" + (n + 1)), before);
        assertThat(transaction.commit(List.of(bytes("n")), List.of(write)).join())
                .isInstanceOf(CommitResult.Committed.class);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static final class CountedLedger implements Ledger {
        private final Ledger under;
        private final AtomicLong calls = new AtomicLong();

        CountedLedger(Ledger under) {
            this.under = under;
        }

        long calls() {
            return calls.get();
        }

        void reset() {
            calls.set(0);
        }

        @Override
        public Optional<Entry> read(Place place) {
            calls.incrementAndGet();
            return under.read(place);
        }

        @Override
        public List<String> list(String folder) {
            calls.incrementAndGet();
            return under.list(folder);
        }

        @Override
        public boolean change(List<Change> changes) {
            calls.incrementAndGet();
            return under.change(changes);
        }

        @Override
        public Optional<String> problem() {
            return under.problem();
        }

        @Override
        public void close() {
            under.close();
        }
    }
}
