package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.base.PetrichorException;
import petrichor.transactions.rows.ScatteredIds;

class IdAllocatorTest {
    @ParameterizedTest
    @EnumSource(TestStore.class)
    void noIdIsGivenOutTwiceAlsoAfterReopening(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            Set<Long> seen = new HashSet<>();
            for (int life = 0; life < 4; life++) {
                for (int count : new int[] {1, 7, 1_000, 1_500, 3}) {
                    for (long id : bench.database().allocateIds(count)) {
                        assertThat(seen.add(id)).as("id " + id).isTrue();
                        assertThat(id).isBetween(1L << 52, (1L << 53) - 1);
                    }
                }
                bench.reopen();
            }
        }
    }

    @Test
    void reservedIdsAreLeftOut() {
        try (TestBench bench = TestBench.open(TestStore.MEMORY_WITH_VIEWS)) {
            RowDatabase database = bench.database();
            long given = database.allocateIds(1)[0];
            long inThisBlock = ScatteredIds.idOf(5);
            long inALaterBlock = ScatteredIds.idOf(2_500);
            database.reserveIds(given, inThisBlock, inALaterBlock, 17);
            bench.reopen();
            Set<Long> rest = new HashSet<>();
            for (long id : bench.database().allocateIds(5_000)) {
                rest.add(id);
            }
            assertThat(rest).hasSize(5_000).doesNotContain(given, inThisBlock, inALaterBlock);
        }
    }

    @Test
    void anIdReservedInTheBlockUnderWayIsLeftOut() {
        try (TestBench bench = TestBench.open(TestStore.MEMORY_WITH_VIEWS)) {
            RowDatabase database = bench.database();
            database.allocateIds(1);
            database.reserveIds(ScatteredIds.idOf(5));
            assertThat(database.allocateIds(900)).doesNotContain(ScatteredIds.idOf(5));
        }
    }

    @Test
    void scatteringIsOneToOne() {
        long seed = Long.getLong("seed", System.nanoTime());
        new java.util.SplittableRandom(seed)
                .longs(10_000, 0, 1L << 52)
                .forEach(
                        count ->
                                assertThat(ScatteredIds.countOf(ScatteredIds.idOf(count)))
                                        .as("seed " + seed)
                                        .isEqualTo(count));
        assertThat(ScatteredIds.countOf(17)).isEqualTo(-1);
        assertThat(ScatteredIds.idOf(1) >>> 40).isNotEqualTo(ScatteredIds.idOf(2) >>> 40);
    }

    @Test
    void anAbsurdCountIsRefused() {
        try (TestBench bench = TestBench.open(TestStore.MEMORY_WITH_VIEWS)) {
            assertThatThrownBy(() -> bench.database().allocateIds(1_000_000_000))
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("100000");
        }
    }
}
