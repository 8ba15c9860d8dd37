package petrichor.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import petrichor.bench.GrowthModel.Costs;
import petrichor.bench.GrowthModel.Outcome;
import petrichor.bench.GrowthModel.Shape;

/** The model agrees with what can be computed by hand. */
class GrowthModelTest {
    private static final Costs COSTS = new Costs(150, 20, 25, 100, 60, 1000, 10, 120, 300);

    private static Outcome run(int servers, int databases, int clients) {
        return GrowthModel.run(
                COSTS, new Shape(servers, servers, databases, 2, clients), 100_000, 400_000, 1);
    }

    @Test
    void oneClientWaitsForEveryStepOnce() {
        double latency = 150 + 60 + 300 + 20 + 1000 + 10 + 300;
        Outcome outcome = run(1, 1, 1);
        assertThat(outcome.meanLatencyMillis()).isEqualTo(latency / 1000, within(0.001));
        assertThat(outcome.commitsPerSecond()).isEqualTo(1e6 / latency, within(5.0));
        assertThat(outcome.commitsPerAppend()).isEqualTo(1);
    }

    @Test
    void commitsOfOneDatabaseShareAppends() {
        assertThat(run(1, 1, 200).commitsPerAppend()).isGreaterThan(20);
        assertThat(run(1, 1, 200).commitsPerSecond())
                .isGreaterThan(5 * run(1, 1, 1).commitsPerSecond());
    }

    @Test
    void noServerDoesMoreThanItsCoresCan() {
        // Accepting, and its share of sequencing: two cores, and no work is free.
        assertThat(run(1, 100, 16).commitsPerSecond()).isLessThan(2e6 / (150 + 20));
    }

    @Test
    void databasesOnMoreServersDoNotWaitForEachOther() {
        assertThat(run(30, 30, 16).commitsPerSecond())
                .isGreaterThan(25 * run(1, 1, 16).commitsPerSecond());
    }

    @Test
    void oneDatabaseIsBoundedByItsSequencer() {
        // A batch is sequenced, then appended, and then the next one.
        assertThat(run(100, 1, 1000).commitsPerSecond()).isLessThan(1e6 / (20 + 10));
    }

    @Test
    void sameSeedIsTheSameRun() {
        assertThat(run(3, 9, 16)).isEqualTo(run(3, 9, 16));
    }
}
