package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.transactions.databases.Rows.bytes;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.text;

import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Snapshot;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.log.RoutedStores;

/** Rows committed here are read again without the store, and never instead of newer ones. */
class RowCacheTest {
    private static final long BYTES_MAX = 4_000;

    private final TestTime time = new TestTime();
    private final WatchedStore store = new WatchedStore(true);
    private final HeldScheduler background = new HeldScheduler(time);
    private final RowDatabases databases = open(1);
    private final RowDatabase database = databases.open("test");

    private RowDatabases open(long seed) {
        return new RowDatabases(
                RoutedStores.of(store),
                TransactionLimits.DEFAULT.withRowCache(BYTES_MAX),
                time,
                new SplittableRandom(seed),
                background);
    }

    @AfterEach
    void close() {
        databases.close();
    }

    @Test
    void theLastCommitIsReadAgainWithoutTheStore() {
        committed(put(database, "a", "1"));
        committed(put(database, "b", "1"));
        committed(put(database, "b", null));
        background.runAll();
        store.calls();
        assertThat(read("a")).isEqualTo("1");
        assertThat(read("b")).isNull();
        committed(put(database, "a", "2"));
        assertThat(read("a")).isEqualTo("2");
        assertThat(store.calls()).containsExactly("putThenRead log");
        try (Snapshot now = database.snapshot()) {
            assertThat(now.get(List.of(bytes("b"), bytes("c"), bytes("a"))))
                    .extracting(Rows::text)
                    .containsExactly(null, null, "2");
        }
        assertThat(store.calls()).containsExactly("get rows");
    }

    @Test
    void itIsBoundedAndTheOldestGoFirst() {
        for (int i = 0; i < 20; i++) {
            committed(put(database, "k" + i, "v".repeat(100)));
            committed(put(database, "again", "" + i));
        }
        background.runAll();
        store.calls();
        assertThat(read("k19")).hasSize(100);
        assertThat(read("again")).isEqualTo("19");
        assertThat(store.calls()).isEmpty();
        assertThat(read("k0")).hasSize(100);
        assertThat(store.calls()).containsExactly("get rows");
    }

    @Test
    void commitsOfOthersAreReadOnceTheDatabaseWasTakenBack() {
        committed(put(database, "a", "1"));
        try (RowDatabases others = open(2)) {
            committed(put(others.open("test"), "a", "2"));
            background.runAll();
            store.losesAnswer = true;
            assertThat(put(database, "b", "1").join()).isInstanceOf(CommitResult.Unknown.class);
            assertThat(read("a")).isEqualTo("2");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b"})
    void anOlderSnapshotReadsTheFormerRow(String key) {
        committed(put(database, "a", "1"));
        background.runAll();
        try (Snapshot before = database.snapshot()) {
            String then = text(before.get(bytes(key)));
            committed(put(database, key, "2"));
            background.runAll();
            assertThat(text(before.get(bytes(key)))).isEqualTo(then);
            assertThat(read(key)).isEqualTo("2");
        }
    }

    private @Nullable String read(String key) {
        try (Snapshot snapshot = database.snapshot()) {
            return text(snapshot.get(bytes(key)));
        }
    }
}
