package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.Snapshot;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.log.RoutedStores;

/** Concurrent creation of databases by several processes. */
class CatalogTest {
    private final TestTime time = new TestTime();
    private final WatchedStore store = new WatchedStore();

    private RowDatabases open(long seed) {
        return open(store, seed);
    }

    private RowDatabases open(KeyValueStore store, long seed) {
        return new RowDatabases(
                RoutedStores.of(store),
                TransactionLimits.DEFAULT,
                time,
                new SplittableRandom(seed),
                new HeldScheduler(time));
    }

    @Test
    void databasesMadeAtTheSameTimeGetDifferentNumbers() {
        try (RowDatabases ours = open(1);
                RowDatabases theirs = open(2)) {
            store.beforePutIfAbsent =
                    () -> {
                        store.beforePutIfAbsent = () -> {};
                        committed(put(theirs.open("theirs"), "a", "1"));
                    };
            RowDatabase made = ours.open("ours");
            assertThat(made.number()).isNotEqualTo(theirs.open("theirs").number());
            try (Snapshot snapshot = made.snapshot()) {
                assertThat(snapshot.get(Rows.bytes("a"))).isNull();
            }
        }
    }

    @Test
    void aDatabaseMadeTwiceAtTheSameTimeIsOne() {
        try (RowDatabases ours = open(1);
                RowDatabases theirs = open(2)) {
            store.beforePutIfAbsent =
                    () -> {
                        store.beforePutIfAbsent = () -> {};
                        committed(put(theirs.open("both"), "a", "1"));
                    };
            RowDatabase made = ours.open("both");
            assertThat(made.number()).isEqualTo(theirs.open("both").number());
            try (Snapshot snapshot = made.snapshot()) {
                assertThat(Rows.text(snapshot.get(Rows.bytes("a")))).isEqualTo("1");
            }
        }
    }

    @Test
    void withFencedBatchesTheLoserTakesTheNextNumber() {
        FaultyStore fenced = new FaultyStore(MemoryStore.open(MemoryOptions.DEFAULT));
        try (fenced;
                RowDatabases ours = open(fenced, 1);
                RowDatabases theirs = open(fenced, 2)) {
            fenced.before =
                    () -> {
                        fenced.before = () -> {};
                        committed(put(theirs.open("theirs"), "a", "1"));
                    };
            assertThat(ours.open("ours").number()).isNotEqualTo(theirs.open("theirs").number());
        }
    }

    @Test
    void aNumberWhoseClaimIsUnknownIsNotUsed() {
        try (RowDatabases ours = open(1)) {
            store.losesAnswer = true;
            assertThatThrownBy(() -> ours.open("ours")).hasMessageContaining("retry");
            assertThat(ours.names()).isEmpty();
            // The claim was written: its number is wasted.
            assertThat(ours.open("ours").number()).isEqualTo(2);
        }
    }
}
