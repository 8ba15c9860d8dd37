package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.transactions.databases.Rows.bytes;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.text;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.Snapshot;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.log.RoutedStores;

/** A process that has lost a database makes a branch of it while the new owner removes history. */
class BranchOwnersTest {
    private static final long HOUR_MICROS = Duration.ofHours(1).toNanos() / 1_000;

    private final TestTime time = new TestTime();
    private final FaultyStore store =
            new FaultyStore(MemoryStore.open(MemoryOptions.DEFAULT.withoutViews()));
    private final RowDatabases former = open(1);
    private final RowDatabases ours = open(2);

    private RowDatabases open(long seed) {
        // Without housekeeping, which would run at any time.
        return new RowDatabases(
                RoutedStores.of(store),
                TransactionLimits.DEFAULT,
                time,
                new SplittableRandom(seed),
                new HeldScheduler(time));
    }

    @BeforeEach
    void takeOver() {
        committed(put(former.open("test"), "a", "1"));
        committed(put(ours.open("test"), "a", "2"));
        time.advanceMicros(3 * HOUR_MICROS);
    }

    @AfterEach
    void close() {
        former.close();
        ours.close();
        store.close();
    }

    @Test
    void theCollectorSeesABranchThatWasMadeBeforeItsMark() {
        store.before =
                () -> {
                    store.before = () -> {};
                    former.branch("branch", "test", OptionalLong.empty());
                };
        ours.tidy();
        try (Snapshot snapshot = ours.open("branch").snapshot()) {
            assertThat(text(snapshot.get(bytes("a")))).isEqualTo("1");
        }
    }

    @Test
    void aBranchThatIsMadeAfterTheMarkFails() {
        ours.tidy();
        assertThatThrownBy(() -> former.branch("branch", "test", OptionalLong.empty()))
                .hasMessageContaining("no longer has this version");
        assertThat(ours.names()).containsExactly("test");
    }
}
