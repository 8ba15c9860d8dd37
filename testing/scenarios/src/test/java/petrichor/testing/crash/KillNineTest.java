package petrichor.testing.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills the server at random times under sixteen writers, and counts lost commits. */
final class KillNineTest {
    /** Time for recovery, in addition to a start on an empty folder measured at the same time. */
    private static final Duration RECOVERY_MAX = Duration.ofSeconds(1);

    /** Time from the first commit after a start to the kill. */
    private static final Duration LIFE_MIN = Duration.ofMillis(100);

    private static final Duration LIFE_SPREAD = Duration.ofMillis(1_100);

    @TempDir Path temporary;

    @Test
    void nothingIsLostInAFewRounds() {
        rounds(4);
    }

    /** 200 rounds have passed once; every run does a few of them. */
    @Tag("slow")
    @Test
    void nothingIsLostInManyRounds() {
        rounds(Integer.getInteger("rounds", 40));
    }

    private void rounds(int count) {
        long seed = seed();
        Random random = new Random(seed);
        List<Long> startups = new ArrayList<>();
        try (Trial trial = new Trial(temporary.resolve("data"), temporary.resolve("log"), seed)) {
            long emptyStart = trial.start().toMillis();
            trial.openAccounts();
            for (int round = 0; round < count; round++) {
                trial.startWriting();
                trial.awaitAcknowledged(1);
                trial.writeFor(LIFE_MIN.plusMillis(random.nextLong(LIFE_SPREAD.toMillis())));
                trial.kill();
                trial.checkIndexesOfACopy(temporary.resolve("copy-" + round));
                startups.add(trial.start().toMillis());
                trial.checkThroughTheServer();
            }
            startups.sort(null);
            long median = startups.get(startups.size() / 2);
            System.out.printf(
                    "killed %d times, %d commits acknowledged, none lost; ready again after"
                            + " %d ms (median), %d ms at most%n",
                    count, trial.acknowledged(), median, startups.getLast());
            assertThat(trial.acknowledged()).isGreaterThan(count * 10L);
            // Compares the fastest quarter with a start without recovery, because the machine may
            // be busy.
            assertThat(startups.get(startups.size() / 4))
                    .as("ms until ready, of %s; on an empty folder %d", startups, emptyStart)
                    .isLessThan(2 * emptyStart + RECOVERY_MAX.toMillis());
        }
    }

    private static long seed() {
        return Long.getLong("seed", new Random().nextInt(1_000_000));
    }
}
