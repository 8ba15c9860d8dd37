package petrichor.testing.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.testing.simulation.Simulation.Report;

/** Tests the real transaction code under seeded faults. */
final class SimulationTest {
    private static final int SEEDS_QUICK = 60;

    /** Seeds for databases in two stores, whose runs take longer. */
    private static final int SEEDS_QUICK_PLACED = 20;

    /** Seeds for databases that move, whose runs take longest. */
    private static final int SEEDS_QUICK_MOVED = 10;

    /** The slow tests continue up to this number of seeds. */
    private static final int SEEDS_SLOW = 300;

    private static final int SEEDS_SLOW_PLACED = 120;

    @ParameterizedTest
    @EnumSource
    void noSeedFindsAnAnomaly(SimulatedStores stores) {
        runSeeds(0, quick(stores), stores);
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource
    void moreSeedsFindNoAnomaly(SimulatedStores stores) {
        runSeeds(quick(stores), stores.placed() ? SEEDS_SLOW_PLACED : SEEDS_SLOW, stores);
    }

    @ParameterizedTest
    @EnumSource
    void theSameSeedGivesTheSameRun(SimulatedStores stores) {
        Report once = Simulation.run(17, stores);
        Report again = Simulation.run(17, stores);
        assertThat(again).isEqualTo(once);
        assertThat(Simulation.run(18, stores)).isNotEqualTo(once);
    }

    private static int quick(SimulatedStores stores) {
        if (stores.moves()) {
            return SEEDS_QUICK_MOVED;
        }
        return stores.placed() ? SEEDS_QUICK_PLACED : SEEDS_QUICK;
    }

    private static void runSeeds(int from, int to, SimulatedStores stores) {
        int count = to - from;
        Map<StepFate, Integer> fates = new EnumMap<>(StepFate.class);
        int[] sums = new int[9];
        // Runs are independent.
        Seeds.between(from, to)
                .parallel()
                .mapToObj(seed -> Map.entry(seed, Simulation.run(seed, stores)))
                .toList()
                .forEach(
                        run -> {
                            long seed = run.getKey();
                            Report report = run.getValue();
                            assertThat(report.findings())
                                    .as(
                                            "replay with: ./mvnw -pl testing/simulation -am test"
                                                    + " -Dtest=SimulationTest#noSeedFindsAnAnomaly"
                                                    + " -Dsurefire.failIfNoSpecifiedTests=false"
                                                    + " -Dseed=%d",
                                            seed)
                                    .isEmpty();
                            report.fates().forEach((fate, n) -> fates.merge(fate, n, Integer::sum));
                            sums[0] += report.committed();
                            sums[1] += report.aborted();
                            sums[2] += report.unknown();
                            sums[3] += report.lateFenced();
                            sums[4] += report.deaths();
                            sums[5] += report.replacements();
                            sums[6] += report.withoutCapacity();
                            sums[7] += report.followed();
                            sums[8] += report.switches();
                        });
        if (Long.getLong("seed") == null) {
            // Faults that never occur prove nothing.
            assertThat(fates.keySet()).containsExactlyInAnyOrder(StepFate.values());
            assertThat(sums[0]).as("committed").isGreaterThan(20 * count);
            assertThat(sums[1]).as("aborted").isGreaterThan(5 * count);
            assertThat(sums[2]).as("unknown").isGreaterThan(count / 2);
            assertThat(sums[3]).as("late writes fenced").isGreaterThan(count / 10);
            assertThat(sums[4]).as("deaths").isGreaterThan(count / 2);
            assertThat(sums[5]).as("replacements").isGreaterThan(count / 2);
            assertThat(sums[7]).as("commits in the feed").isGreaterThan(10 * count);
            if (stores.moves()) {
                assertThat(sums[8]).as("switches").isPositive();
            }
            if (stores.hasLog()) {
                assertThat(sums[6]).as("without memory").isGreaterThan(count / 20);
            }
        }
    }
}
