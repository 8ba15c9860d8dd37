package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.transactions.databases.Rows.bytes;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.range;
import static petrichor.transactions.databases.Rows.scan;
import static petrichor.transactions.databases.Rows.text;

import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionOptions;
import petrichor.transactions.log.RoutedStores;
import petrichor.transactions.scheduling.Scheduler;

/** Commits through a log that is applied to the rows on request. */
class LogCommitPointTest {
    /** Without the row cache, which would hide the store. */
    private static final TransactionLimits STORED = TransactionLimits.DEFAULT.withRowCache(0);

    private final TestTime time = new TestTime();
    private final WatchedStore store = new WatchedStore();
    private final HeldScheduler background = new HeldScheduler(time);
    private final RowDatabases databases = open(STORED, background, 1);
    private final RowDatabase database = databases.open("test");

    private RowDatabases open(TransactionLimits limits, Scheduler behind, long seed) {
        return new RowDatabases(
                RoutedStores.of(store), limits, time, new SplittableRandom(seed), behind);
    }

    @AfterEach
    void close() {
        databases.close();
    }

    @Test
    void aPutIsOneReadAndOneAppendWhetherOrNotTheRowExists() {
        committed(put(database, "a", "1"));
        background.runAll();
        store.calls();
        committed(put(database, "a", "2"));
        assertThat(store.calls()).containsExactly("get rows", "putIfAbsent log");
        committed(put(database, "new", "1"));
        assertThat(store.calls()).containsExactly("get rows", "putIfAbsent log");
        background.runAll();
        committed(put(database, "gone", null));
        store.calls();
        assertThat(read("gone")).isNull();
        assertThat(store.calls()).hasSizeLessThanOrEqualTo(1);
    }

    @Test
    void aScanAtTheNewestVersionIsOneCall() {
        for (int i = 0; i < 10; i++) {
            committed(put(database, "a" + i, "1"));
        }
        background.runAll();
        store.calls();
        assertThat(everything(database)).hasSize(10);
        assertThat(store.calls()).containsExactly("scan rows");
    }

    @Test
    void unappliedCommitsAreReadFromMemory() {
        committed(put(database, "a", "1"));
        committed(put(database, "b", "1"));
        background.runAll();
        Snapshot before = database.snapshot();
        committed(put(database, "a", "2"));
        committed(put(database, "b", null));
        committed(put(database, "c", "1"));
        assertThat(store.rows("rows")).isEqualTo(2);
        assertThat(everything(database)).containsExactly("a=2", "c=1");
        assertThat(scan(before, KeyRange.ALL, Direction.FORWARD)).containsExactly("a=1", "b=1");
        assertThat(text(before.get(bytes("b")))).isEqualTo("1");
        try (Snapshot now = database.snapshot()) {
            assertThat(scan(now, KeyRange.ALL, Direction.REVERSE)).containsExactly("c=1", "a=2");
            assertThat(scan(now, range("b", "d"), Direction.FORWARD)).containsExactly("c=1");
            assertThat(now.get(List.of(bytes("c"), bytes("b"), bytes("a"))))
                    .extracting(Rows::text)
                    .containsExactly("1", null, "2");
        }
        background.runAll();
        assertThat(everything(database)).containsExactly("a=2", "c=1");
        assertThat(scan(before, KeyRange.ALL, Direction.FORWARD)).containsExactly("a=1", "b=1");
        before.close();
    }

    @Test
    void theNextOwnerAppliesUnappliedCommits() {
        committed(put(database, "a", "1"));
        committed(put(database, "a", "2"));
        long last = committed(put(database, "b", "1"));
        assertThat(store.rows("rows")).isZero();
        try (RowDatabases others = open(STORED, new HeldScheduler(time), 2)) {
            RowDatabase next = others.open("test");
            assertThat(everything(next)).containsExactly("a=2", "b=1");
            assertThat(committed(put(next, "c", "1"))).isGreaterThan(last);
            assertThat(put(database, "a", "3").join()).isInstanceOf(CommitResult.Refused.class);
            // Late writes of the former owner.
            background.runAll();
            assertThat(everything(next)).containsExactly("a=2", "b=1", "c=1");
        }
    }

    @Test
    void theLogIsRemovedOnceItIsAppliedAndSealsStay() {
        for (int i = 0; i < 300; i++) {
            committed(put(database, "a", "" + i));
        }
        assertThat(store.rows("log")).isEqualTo(301);
        background.runAll();
        assertThat(store.rows("log")).isEqualTo(1);
        databases.close();
        try (RowDatabases others = open(STORED, new HeldScheduler(time), 2)) {
            assertThat(everything(others.open("test"))).containsExactly("a=299");
            assertThat(store.rows("log")).isEqualTo(2);
        }
    }

    @Test
    void aWalkThroughARemovedLogRestarts() {
        committed(put(database, "a", "1"));
        committed(put(database, "b", "1"));
        store.beforeRead =
                () -> {
                    // Once, after the new owner has read the checkpoint.
                    if (store.calls().contains("read log")) {
                        store.beforeRead = () -> {};
                        background.runAll();
                        committed(put(database, "a", "2"));
                    }
                };
        store.calls();
        try (RowDatabases others = open(STORED, new HeldScheduler(time), 2)) {
            RowDatabase next = others.open("test");
            assertThat(everything(next)).containsExactly("a=2", "b=1");
            // Both owners would continue if the new one had sealed only a removed slot.
            assertThat(put(database, "a", "3").join()).isInstanceOf(CommitResult.Refused.class);
            committed(put(next, "a", "4"));
            assertThat(everything(next)).containsExactly("a=4", "b=1");
        }
    }

    @Test
    void anOwnRecordFoundInTheSlotCountsAsWritten() {
        store.triesTwice = true;
        committed(put(database, "a", "1"));
        assertThat(database.metrics().recoveries()).isZero();
        try (RowDatabases others = open(STORED, new HeldScheduler(time), 2)) {
            committed(put(others.open("test"), "a", "2"));
            assertThat(others.open("other").name()).isEqualTo("other");
        }
    }

    @Test
    void aRecordLargerThanARowComesInParts() {
        store.valueBytesMax = 1_000;
        try (RowDatabases small = open(STORED, background, 2)) {
            RowDatabase parted = small.open("parted");
            Transaction transaction = parted.begin(new TransactionOptions.Optimistic(null));
            RowWrite[] writes = new RowWrite[20];
            for (int i = 0; i < writes.length; i++) {
                writes[i] = Rows.write(transaction, "k" + i, "v".repeat(500));
            }
            committed(Rows.commit(transaction, writes));
            assertThat(store.rows("log")).isGreaterThan(10);
            try (RowDatabases others = open(STORED, background, 3)) {
                assertThat(everything(others.open("parted"))).hasSize(20);
                others.open("parted").close();
                // The seals of this database, and of the one that every test has.
                assertThat(store.rows("log")).isEqualTo(3);
            }
        }
    }

    /** However much of a record was written, the next owner can read the log. */
    @Test
    void aFailureBetweenThePartsOfARecordLeavesTheLogReadable() {
        store.valueBytesMax = 1_000;
        int inFull = 0;
        for (int writes = 0; inFull == 0; writes++) {
            String name = "parted" + writes;
            try (RowDatabases small = open(STORED, new HeldScheduler(time), 2)) {
                RowDatabase parted = small.open(name);
                Transaction transaction = parted.begin(new TransactionOptions.Optimistic(null));
                RowWrite[] rows = new RowWrite[20];
                for (int i = 0; i < rows.length; i++) {
                    rows[i] = Rows.write(transaction, "k" + i, "v".repeat(500));
                }
                store.logWritesMax = writes;
                CommitResult result = Rows.commit(transaction, rows).join();
                store.logWritesMax = Integer.MAX_VALUE;
                inFull += result instanceof CommitResult.Committed ? 1 : 0;
                try (RowDatabases others = open(STORED, new HeldScheduler(time), 3)) {
                    assertThat(everything(others.open(name)))
                            .as("the log took %d writes", writes)
                            .hasSize(inFull * rows.length);
                }
            }
            assertThat(writes).as("a commit takes some ten writes").isLessThan(30);
        }
    }

    @Test
    void aRowOfSeveralCommitsIsWrittenOnceAfterItsHistory() {
        committed(put(database, "a", "1"));
        committed(put(database, "a", null));
        committed(put(database, "a", "3"));
        store.calls();
        store.changes.clear();
        background.runAll();
        // Rows and change records are one batch, which is named by its first row.
        assertThat(store.calls()).startsWith("putIfNewer history", "putIfNewer meta");
        assertThat(store.changes)
                .filteredOn(change -> change.table().equals("rows"))
                .singleElement()
                .isInstanceOf(WriteBatch.Put.class);
    }

    @Test
    void theLogStaysUntilACheckpointIsWritten() {
        committed(put(database, "a", "1"));
        committed(put(database, "b", "1"));
        store.notesFail = true;
        databases.close();
        // Its rows are applied by now; the next owner must still learn its last version.
        assertThat(store.rows("rows")).isEqualTo(2);
        assertThat(store.rows("log")).isEqualTo(3);
        try (RowDatabases others = open(STORED, background, 2)) {
            assertThat(everything(others.open("test"))).containsExactly("a=1", "b=1");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSnapshotOfAnOwnerThatWasShutOutStillShowsItsVersion(boolean noticed) {
        committed(put(database, "a", "1"));
        committed(put(database, "b", "1"));
        try (Snapshot snapshot = database.snapshot();
                RowDatabases others = open(STORED, background, 2)) {
            RowDatabase next = others.open("test");
            committed(put(next, "a", "2"));
            committed(put(next, "b", null));
            background.runAll();
            if (noticed) {
                assertThat(put(database, "c", "1").join()).isInstanceOf(CommitResult.Refused.class);
            } else {
                databases.ownWhile(_ -> false);
            }
            assertThat(scan(snapshot, KeyRange.ALL, Direction.FORWARD))
                    .containsExactly("a=1", "b=1");
            assertThat(text(snapshot.get(bytes("b")))).isEqualTo("1");
        }
    }

    @Test
    void aLostStepIsReadInFullWhileItIsBeingApplied() {
        committed(put(database, "a", "1"));
        background.runAll();
        try (Snapshot before = database.snapshot()) {
            store.losesAnswer = true;
            store.afterRows = () -> assertThat(text(before.get(bytes("a")))).isEqualTo("1");
            committed(put(database, "a", "2"));
            assertThat(store.calls()).contains("putIfNewer rows");
            assertThat(database.metrics().recoveries()).isEqualTo(1);
        }
    }

    @Test
    void commitsOfOthersAreReadAfterTheLogWasTakenBack() {
        committed(put(database, "a", "1"));
        HeldScheduler theirs = new HeldScheduler(time);
        try (RowDatabases others = open(STORED, theirs, 2)) {
            committed(put(others.open("test"), "a", "2"));
            theirs.runAll();
            store.losesAnswer = true;
            assertThat(put(database, "b", "1").join()).isInstanceOf(CommitResult.Unknown.class);
            assertThat(read("a")).isEqualTo("2");
        }
    }

    @Test
    void aStepOfInternalRowsAloneHasItsOwnVersion() {
        long before = committed(put(database, "a", "1"));
        database.allocateIds(1);
        assertThat(database.metrics().newestVersion()).isGreaterThan(before);
    }

    @Test
    void aDroppedDatabaseLeavesItsSealsAndItsNumberBehind() {
        committed(put(database, "a", "1"));
        background.runAll();
        databases.drop("test");
        assertThat(store.rows("rows")).isZero();
        assertThat(databases.names()).isEmpty();
        RowDatabase again = databases.open("test");
        assertThat(again.number()).isNotEqualTo(database.number());
        assertThat(everything(again)).isEmpty();
    }

    private static List<String> everything(Database database) {
        try (Snapshot snapshot = database.snapshot()) {
            return scan(snapshot, KeyRange.ALL, Direction.FORWARD);
        }
    }

    private @Nullable String read(String key) {
        try (Snapshot snapshot = database.snapshot()) {
            return text(snapshot.get(bytes(key)));
        }
    }
}
