package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.transactions.databases.Rows.bytes;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.range;
import static petrichor.transactions.databases.Rows.scan;
import static petrichor.transactions.databases.Rows.text;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.transactions.NotSequencedHere;
import petrichor.transactions.SharedVersion;
import petrichor.transactions.Snapshot;
import petrichor.transactions.TransactionOptions;

/** Reads of a follower, directly from the store. */
class FollowerDatabaseTest {
    private static final long HOUR_MICROS = Duration.ofHours(1).toNanos() / 1_000;

    private static FollowerDatabase follower(TestBench bench) {
        return new FollowerDatabase(
                "test", bench.store(), Lineage.NONE, () -> bench.database().share(), bench.time());
    }

    @ParameterizedTest
    @EnumSource
    void aSnapshotShowsOnlyEarlierCommits(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            FollowerDatabase follower = follower(bench);
            committed(put(bench.database(), "a", "1"));
            committed(put(bench.database(), "b", "1"));
            try (Snapshot before = follower.snapshot()) {
                committed(put(bench.database(), "a", "2"));
                committed(put(bench.database(), "b", null));
                committed(put(bench.database(), "c", "2"));
                assertThat(bench.database().appliedVersion()).isPositive();
                assertThat(text(before.get(bytes("a")))).isEqualTo("1");
                assertThat(before.get(bytes("c"))).isNull();
                assertThat(scan(before, range("a", "z"), Direction.FORWARD))
                        .containsExactly("a=1", "b=1");
                try (Snapshot after = follower.snapshot()) {
                    assertThat(scan(after, range("a", "z"), Direction.REVERSE))
                            .containsExactly("c=2", "a=2");
                }
                try (Snapshot again = follower.snapshotAt(before.version())) {
                    assertThat(scan(again, range("a", "z"), Direction.FORWARD))
                            .containsExactly("a=1", "b=1");
                }
            }
        }
    }

    @Test
    void readsOfAnIdleDatabaseSearchAtMostOneHourOfHistory() {
        try (TestBench bench = TestBench.open(TestStore.MEMORY_WITHOUT_VIEWS)) {
            long written = committed(put(bench.database(), "a", "1"));
            bench.time().advanceMicros(1_000 * HOUR_MICROS);
            SharedVersion shared = bench.database().share();
            assertThat(shared.version()).isGreaterThan(written + 999 * HOUR_MICROS);
            assertThat(committed(put(bench.database(), "a", "2")))
                    .as("nothing is committed at a version that was promised")
                    .isGreaterThan(shared.version());
        }
    }

    @Test
    void aReadLongerThanTheRetentionIsRefused() {
        try (TestBench bench = TestBench.open(TestStore.MEMORY_WITHOUT_VIEWS)) {
            committed(put(bench.database(), "a", "1"));
            try (Snapshot snapshot = follower(bench).snapshot()) {
                bench.time().advanceMicros(HOUR_MICROS - 1_000_000);
                assertThat(text(snapshot.get(bytes("a")))).isEqualTo("1");
                bench.time().advanceMicros(2_000_000);
                assertThatThrownBy(() -> snapshot.get(bytes("a")))
                        .isInstanceOf(PetrichorException.class)
                        .hasMessageContaining("too old");
            }
        }
    }

    @Test
    void requestsThatNeedTheSequencerAreRefused() {
        try (TestBench bench = TestBench.open(TestStore.MEMORY_WITHOUT_VIEWS)) {
            FollowerDatabase follower = follower(bench);
            assertThat(follower.sequencedHere()).isFalse();
            assertThatThrownBy(() -> put(follower, "a", "1").join())
                    .isInstanceOf(NotSequencedHere.class);
            assertThatThrownBy(() -> follower.begin(new TransactionOptions.ReadOnly(0)))
                    .isInstanceOf(NotSequencedHere.class);
            assertThatThrownBy(() -> follower.allocateIds(1)).isInstanceOf(NotSequencedHere.class);
            committed(put(bench.database(), "a", "1"));
            bench.time().advanceMicros(10);
            assertThatThrownBy(() -> follower.snapshotAt(bench.time().epochMicros()))
                    .as("only the owner can promise that nothing comes before it")
                    .isInstanceOf(NotSequencedHere.class);
        }
    }
}
