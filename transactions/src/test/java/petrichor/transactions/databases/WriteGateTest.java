package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.transactions.databases.Rows.bytes;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionOptions;
import petrichor.transactions.WriteGate;

/** Databases that refuse commits, on every kind of store. */
class WriteGateTest {
    private static final WriteGate CLOSED =
            new WriteGate(List.of(bytes("y"), bytes("x-")), "this is a replica", bytes("7"));

    private static CommitResult set(Database database, WriteGate gate, RowWrite... more) {
        try (Snapshot snapshot = database.snapshot()) {
            List<RowWrite> writes = new ArrayList<>(List.of(more));
            Row prior = snapshot.get(WriteGate.row());
            writes.add(new RowWrite(WriteGate.row(), gate.encode(), prior));
            return database.commit(
                            new CommitRequest(
                                    snapshot.version(),
                                    List.of(),
                                    List.of(),
                                    writes.stream().map(RowWrite::key).toList(),
                                    writes))
                    .join();
        }
    }

    private static void assertRefused(CommitResult result) {
        assertThat(result)
                .isInstanceOfSatisfying(
                        CommitResult.Refused.class,
                        refused -> assertThat(refused.reason()).hasMessage("this is a replica"));
    }

    @ParameterizedTest
    @EnumSource
    void aClosedGateRefusesCommitsAndTransactionsUntilItIsOpened(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            committed(put(bench.database(), "a", "1"));
            Transaction open = bench.database().begin(new TransactionOptions.Optimistic(null));
            RowWrite late = Rows.write(open, "a", "2");

            assertThat(set(bench.database(), CLOSED)).isInstanceOf(CommitResult.Committed.class);

            assertRefused(put(bench.database(), "a", "3").join());
            assertRefused(open.commit(List.of(bytes("a")), List.of(late)).join());
            bench.reopen();
            assertRefused(put(bench.database(), "a", "4").join());
            assertRefused(put(bench.database(), "x", "4").join());
            committed(put(bench.database(), "x-index", "maintained by the replica"));
            try (Snapshot snapshot = bench.database().snapshot()) {
                assertThat(text(snapshot.get(bytes("a")))).isEqualTo("1");
            }

            set(bench.database(), WriteGate.open(bytes("8")));

            committed(put(bench.database(), "a", "5"));
            bench.reopen();
            committed(put(bench.database(), "a", "6"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCommitThatAlsoWritesTheGatePasses(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            set(bench.database(), CLOSED);

            set(bench.database(), CLOSED, new RowWrite(bytes("a"), bytes("1"), null));

            try (Snapshot snapshot = bench.database().snapshot()) {
                assertThat(text(snapshot.get(bytes("a")))).isEqualTo("1");
                Row gate = Objects.requireNonNull(snapshot.get(WriteGate.row()));
                assertThat(WriteGate.decode(gate.value())).isEqualTo(CLOSED);
            }
        }
    }
}
