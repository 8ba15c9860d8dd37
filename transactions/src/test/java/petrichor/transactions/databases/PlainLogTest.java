package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.transactions.databases.Rows.bytes;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.scan;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionOptions;
import petrichor.transactions.log.RoutedStores;

/**
 * A log in a store with expensive conditional writes: records are plain writes, guarded by gates.
 */
class PlainLogTest {
    /** The gate of each epoch, and its end if it has ended. */
    private static final int ROWS_OF_FIRST_TAKING = 3;

    private final TestTime time = new TestTime();
    private final WatchedStore store = new WatchedStore(true);
    private final HeldScheduler background = new HeldScheduler(time);
    private final RowDatabases databases = open(1);
    private final RowDatabase database = databases.open("test");

    private RowDatabases open(long seed) {
        return new RowDatabases(
                RoutedStores.of(store),
                TransactionLimits.DEFAULT.withRowCache(0),
                time,
                new SplittableRandom(seed),
                background);
    }

    @AfterEach
    void close() {
        databases.close();
    }

    @Test
    void aPutIsOneReadAndOnePlainAppend() {
        committed(put(database, "a", "1"));
        background.runAll();
        store.calls();
        committed(put(database, "a", "2"));
        assertThat(store.calls()).containsExactly("get rows", "putThenRead log");
    }

    @Test
    void aTakeoverShutsOutARecordInFlight() {
        committed(put(database, "a", "1"));
        try (RowDatabases others = open(2)) {
            store.beforeAppend = () -> committed(put(others.open("test"), "b", "1"));
            assertThat(put(database, "a", "2").join()).isInstanceOf(CommitResult.Refused.class);
            assertThat(everything(others.open("test"))).containsExactly("a=1", "b=1");
        }
        // The record is in its slot but is not valid.
        try (RowDatabases third = open(3)) {
            assertThat(everything(third.open("test"))).containsExactly("a=1", "b=1");
        }
    }

    @Test
    void aRecordFromBeforeTheGateWasClosedIsCommitted() {
        try (RowDatabases others = open(2)) {
            store.afterAppend =
                    () -> assertThat(everything(others.open("test"))).containsExactly("a=1");
            committed(put(database, "a", "1"));
            assertThat(database.metrics().recoveries()).isZero();
            assertThat(put(database, "a", "2").join()).isInstanceOf(CommitResult.Refused.class);
            committed(put(others.open("test"), "b", "1"));
            assertThat(everything(others.open("test"))).containsExactly("a=1", "b=1");
        }
    }

    @Test
    void anOwnerWithAClosedGateKeepsItsRecordAndEndsItsEpoch() {
        committed(put(database, "a", "1"));
        try (RowDatabases others = open(2)) {
            store.conditionsFail = true;
            assertThatThrownBy(() -> others.open("test")).hasMessageContaining("away");
            store.conditionsFail = false;
        }
        committed(put(database, "b", "1"));
        assertThat(put(database, "c", "1").join()).isInstanceOf(CommitResult.Refused.class);
        try (RowDatabases third = open(3)) {
            RowDatabase next = third.open("test");
            assertThat(everything(next)).containsExactly("a=1", "b=1");
            committed(put(next, "c", "2"));
            assertThat(everything(next)).containsExactly("a=1", "b=1", "c=2");
        }
    }

    @Test
    void anAppendIsOfUnknownOutcomeIfTheEpochCannotBeEnded() {
        committed(put(database, "a", "1"));
        try (RowDatabases others = open(2)) {
            store.conditionsFail = true;
            assertThatThrownBy(() -> others.open("test")).hasMessageContaining("away");
        }
        assertThat(put(database, "b", "1").join()).isInstanceOf(CommitResult.Unknown.class);
        store.conditionsFail = false;
        try (RowDatabases third = open(3)) {
            assertThat(everything(third.open("test"))).containsExactly("a=1", "b=1");
        }
    }

    @Test
    void aWalkThroughARemovedLogRestarts() {
        committed(put(database, "a", "1"));
        committed(put(database, "b", "1"));
        store.beforeRead =
                () -> {
                    // After the new owner has read the checkpoint.
                    if (store.calls().contains("read log")) {
                        store.beforeRead = () -> {};
                        background.runAll();
                        committed(put(database, "a", "2"));
                    }
                };
        store.calls();
        try (RowDatabases others = open(2)) {
            RowDatabase next = others.open("test");
            assertThat(everything(next)).containsExactly("a=2", "b=1");
            assertThat(put(database, "a", "3").join()).isInstanceOf(CommitResult.Refused.class);
            committed(put(next, "a", "4"));
            assertThat(everything(next)).containsExactly("a=4", "b=1");
        }
    }

    @Test
    void aRecordWithALostAnswerIsCommitted() {
        committed(put(database, "a", "1"));
        store.losesAnswer = true;
        committed(put(database, "a", "2"));
        assertThat(database.metrics().recoveries()).isEqualTo(1);
        committed(put(database, "b", "1"));
        assertThat(everything(database)).containsExactly("a=2", "b=1");
    }

    @Test
    void theLogIsRemovedOnceItIsAppliedAndGatesAndEndsStay() {
        for (int i = 0; i < 300; i++) {
            committed(put(database, "a", "" + i));
        }
        assertThat(store.rows("log")).isEqualTo(300 + ROWS_OF_FIRST_TAKING);
        background.runAll();
        assertThat(store.rows("log")).isEqualTo(ROWS_OF_FIRST_TAKING);
        databases.close();
        try (RowDatabases others = open(2)) {
            assertThat(everything(others.open("test"))).containsExactly("a=299");
            assertThat(store.rows("log")).isEqualTo(ROWS_OF_FIRST_TAKING + 2);
        }
    }

    @Test
    void aRecordLargerThanARowComesInParts() {
        store.valueBytesMax = 1_000;
        try (RowDatabases small = open(2)) {
            RowDatabase parted = small.open("parted");
            Transaction transaction = parted.begin(new TransactionOptions.Optimistic(null));
            RowWrite[] writes = new RowWrite[20];
            for (int i = 0; i < writes.length; i++) {
                writes[i] = Rows.write(transaction, "k" + i, "v".repeat(500));
            }
            committed(Rows.commit(transaction, writes));
            int rows = store.rows("log");
            assertThat(rows).isGreaterThan(10);
            try (RowDatabases others = open(3)) {
                assertThat(everything(others.open("parted"))).hasSize(20);
                others.open("parted").close();
                // Gates and ends of this database, taken twice, and of the one that every test has.
                assertThat(store.rows("log")).isEqualTo(2 * ROWS_OF_FIRST_TAKING + 2);
            }
        }
    }

    @Test
    void aConcurrentReadReturnsTheCommittedRow() {
        committed(put(database, "a", "1"));
        try (Snapshot snapshot = database.snapshot()) {
            committed(put(database, "a", "2"));
            background.runAll();
            assertThat(Rows.text(snapshot.get(bytes("a")))).isEqualTo("1");
        }
    }

    private static List<String> everything(Database database) {
        try (Snapshot snapshot = database.snapshot()) {
            return scan(snapshot, KeyRange.ALL, Direction.FORWARD);
        }
    }
}
