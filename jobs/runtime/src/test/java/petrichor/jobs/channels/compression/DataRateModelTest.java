package petrichor.jobs.channels.compression;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The thesis' algorithm, and the corrections to it. */
final class DataRateModelTest {
    private static final long SEED = Long.getLong("seed", System.nanoTime());
    private static final Duration PERIOD = Duration.ofMillis(1);

    @Test
    void startsWithoutCompressionAndTriesTheNextLevel() {
        DataRateModel model = new DataRateModel(PERIOD);
        assertThat(model.next()).isEqualTo(Level.NONE);
        period(model, 100);
        assertThat(model.next()).isEqualTo(Level.LZ4);
    }

    @Test
    void aSlowerLevelIsRevertedAtOnce() {
        DataRateModel model = new DataRateModel(PERIOD);
        period(model, 100);
        period(model, 50);
        assertThat(model.next()).isEqualTo(Level.NONE);
    }

    @Test
    void trialsBackOffWhileALevelProvesGood() {
        DataRateModel model = new DataRateModel(PERIOD);
        period(model, 100);
        period(model, 200); // lz4 is better: one improvement, so two periods until a trial
        List<Level> levels = new ArrayList<>();
        for (int count = 0; count < 3; count++) {
            levels.add(model.next());
            period(model, 200);
        }
        assertThat(levels).containsExactly(Level.LZ4, Level.LZ4, Level.ZSTD_1);
    }

    /** As printed, the algorithm returns -1 or one more than the strongest level. */
    @Test
    void neverLeavesTheRangeOfLevels() {
        SplittableRandom random = new SplittableRandom(SEED);
        DataRateModel model = new DataRateModel(PERIOD);
        for (int count = 0; count < 100_000; count++) {
            period(model, 1 + random.nextInt(1_000));
            assertThat(model.next()).describedAs("seed %d", SEED).isNotNull();
        }
    }

    /** As printed, no trial ever follows thirty improvements. */
    @Test
    void continuesTryingHoweverOftenALevelHasProvedGood() {
        DataRateModel model = new DataRateModel(PERIOD);
        int rate = 1;
        for (int count = 0; count < 40; count++) {
            rate = rate * 5 / 4 + 1;
            period(model, rate);
        }
        Level proved = model.next();
        for (int count = 0; count < 64 && model.next() == proved; count++) {
            period(model, rate);
        }
        assertThat(model.next()).isNotEqualTo(proved);
    }

    /** Each step is within the tolerance; together they are not. */
    @Test
    void noticesASlowDecline() {
        DataRateModel model = new DataRateModel(PERIOD);
        period(model, 1_000);
        period(model, 2_000); // lz4 has improved it
        period(model, 1_800);
        assertThat(model.next()).isEqualTo(Level.LZ4);
        period(model, 1_590); // a fifth less than at the change, a ninth less than before
        assertThat(model.next()).isEqualTo(Level.NONE);
    }

    /** One period with this data rate. */
    private static void period(DataRateModel model, int bytesPerMillisecond) {
        model.sent(
                new SentBlock(
                        model.next(),
                        bytesPerMillisecond,
                        bytesPerMillisecond,
                        0,
                        0,
                        PERIOD.toNanos(),
                        0,
                        0));
    }
}
