package petrichor.jobs.channels;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.LongToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.jobs.channels.SimulatedChannel.Data;
import petrichor.jobs.channels.SimulatedChannel.Ends;
import petrichor.jobs.channels.SimulatedChannel.Run;
import petrichor.jobs.channels.compression.DataRateModel;
import petrichor.jobs.channels.compression.FixedLevel;
import petrichor.jobs.channels.compression.Level;
import petrichor.jobs.channels.compression.LevelModel;
import petrichor.jobs.channels.compression.PipelineModel;

/** The decision models with changing wires and data, in virtual time. */
final class SimulatedChannelTest {
    private static final long SEED = Long.getLong("seed", 20_261_121L);
    private static final long SECOND = 1_000_000_000L;

    /** A model may be slower than the optimal level by this factor. */
    private static final double SLOWER_MAX = 1.05;

    /** Time to adapt to a change: three periods of half a second. */
    private static final long ANSWERED_NANOS = 3 * SECOND / 2;

    /** Blocks in flight at a change have been compressed for the old conditions. */
    private static final long ON_THEIR_WAY_BYTES = 16L * SimulatedChannel.BLOCK_BYTES;

    private static final long CHANGE = 10 * SECOND;

    private static Stream<Arguments> cells() {
        List<Data> contents = List.of(Data.FAX, Data.TEXT, Data.PHOTO);
        return contents.stream()
                .flatMap(
                        data ->
                                Stream.of(20_000, 4_000, 1_000, 400, 100, 50, 20, 5)
                                        .map(megabits -> Arguments.of(data, megabits)));
    }

    @ParameterizedTest
    @MethodSource("cells")
    void choosesNearlyTheBestLevelWithinTheFirstSeconds(Data data, int megabits) {
        double wire = bytesPerNano(megabits);
        long bytes = bytesInSeconds(data, wire, 3);
        long best = Long.MAX_VALUE;
        for (Level level : Level.ALL) {
            best = Math.min(best, steady(new FixedLevel(level), data, wire, bytes).nanos());
        }
        Run ours = steady(PipelineModel.forNetwork(), data, wire, bytes);
        assertThat((double) ours.nanos() / best)
                .describedAs("seed %d, levels %s", SEED, ours.blocks())
                .isLessThan(SLOWER_MAX);
    }

    @ParameterizedTest
    @MethodSource("cells")
    void isNeverMuchSlowerThanNoCompression(Data data, int megabits) {
        double wire = bytesPerNano(megabits);
        long bytes = bytesInSeconds(data, wire, 1);
        Run none = steady(new FixedLevel(Level.NONE), data, wire, bytes);
        Run ours = steady(PipelineModel.forNetwork(), data, wire, bytes);
        assertThat((double) ours.nanos() / none.nanos())
                .describedAs("seed %d, levels %s", SEED, ours.blocks())
                .isLessThan(SLOWER_MAX);
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 20, 50, 100, 1_000, 4_000})
    void adaptsToAChangeOfTheWire(int megabits) {
        for (Data data : List.of(Data.FAX, Data.TEXT)) {
            for (int before : List.of(4_000, 20)) {
                LongToDoubleFunction wire = at -> bytesPerNano(at < CHANGE ? before : megabits);
                long drained =
                        (long) (ON_THEIR_WAY_BYTES * data.ratio()[1] / wire.applyAsDouble(CHANGE));
                assertAnswered(_ -> data, wire, data, CHANGE + drained);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 20, 50, 100, 1_000, 4_000})
    void adaptsToAChangeOfTheData(int megabits) {
        double wire = bytesPerNano(megabits);
        List<Data> contents = List.of(Data.FAX, Data.TEXT, Data.PHOTO);
        for (Data before : contents) {
            for (Data after : contents) {
                assertAnswered(at -> at < CHANGE ? before : after, _ -> wire, after, CHANGE);
            }
        }
    }

    /**
     * Shortly after the change, the throughput is that of the best level for the new conditions.
     */
    private static void assertAnswered(
            LongFunction<Data> data, LongToDoubleFunction wire, Data after, long change) {
        double wireAfter = wire.applyAsDouble(change);
        long from = change + ANSWERED_NANOS;
        // Long enough that a single block makes no difference, even on the slowest wire.
        long to = from + (wireAfter < bytesPerNano(50) ? 60 : 3) * SECOND;
        double best = 0;
        Map<Level, Double> rates = new EnumMap<>(Level.class);
        for (Level level : Level.ALL) {
            Run run =
                    new SimulatedChannel(
                                    new FixedLevel(level),
                                    _ -> after,
                                    _ -> wireAfter,
                                    Ends.FAST,
                                    SEED)
                            .run(Long.MAX_VALUE, to + 2 * SECOND);
            double rate = run.megabytesPerSecond(from, to);
            rates.put(level, rate);
            best = Math.max(best, rate);
        }
        Run ours =
                new SimulatedChannel(PipelineModel.forNetwork(), data, wire, Ends.FAST, SEED)
                        .run(Long.MAX_VALUE, to + 2 * SECOND);
        assertThat(best / ours.megabytesPerSecond(from, to))
                .describedAs("seed %d, %s after it, at %s", SEED, rates, wireAfter)
                .isLessThan(SLOWER_MAX);
    }

    /** With a slow consumer compression gains nothing, so it must not cost anything either. */
    @ParameterizedTest
    @ValueSource(doubles = {20, 100})
    void savesProcessorTimeWhenTheConsumerIsTheBottleneck(double consumeNanosPerByte) {
        Ends slow = new Ends(0.1, consumeNanosPerByte, 200_000);
        Run run =
                new SimulatedChannel(
                                PipelineModel.forNetwork(),
                                _ -> Data.TEXT,
                                _ -> bytesPerNano(1_000),
                                slow,
                                SEED)
                        .run(Long.MAX_VALUE, 20 * SECOND);
        int all = run.blocks().values().stream().mapToInt(n -> n).sum();
        assertThat((double) run.blocks().getOrDefault(Level.NONE, 0) / all)
                .describedAs("seed %d: %s", SEED, run.blocks())
                .isGreaterThan(0.9);
    }

    /** Two minutes, thirty times the length of its period: the conditions of the thesis. */
    @ParameterizedTest
    @ValueSource(ints = {1_000, 100, 20})
    void theThesisModelAlsoFindsAGoodLevelInTime(int megabits) {
        double wire = bytesPerNano(megabits);
        Data data = Data.TEXT;
        long bytes = bytesInSeconds(data, wire, 120);
        long best = Long.MAX_VALUE;
        for (Level level : Level.ALL) {
            best = Math.min(best, steady(new FixedLevel(level), data, wire, bytes).nanos());
        }
        Run thesis = steady(new DataRateModel(DataRateModel.THESIS_PERIOD), data, wire, bytes);
        assertThat((double) thesis.nanos() / best)
                .describedAs("seed %d, levels %s", SEED, thesis.blocks())
                .isBetween(1.0, 1.6);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void theSameSeedGivesTheSameRun(long seed) {
        Run first = mixed(seed);
        Run second = mixed(seed);
        assertThat(second.nanos()).isEqualTo(first.nanos());
        assertThat(second.blocks()).isEqualTo(first.blocks());
    }

    private static Run mixed(long seed) {
        return new SimulatedChannel(
                        PipelineModel.forNetwork(),
                        at -> at / SECOND % 2 == 0 ? Data.FAX : Data.TEXT,
                        at -> bytesPerNano(at / (3 * SECOND) % 2 == 0 ? 1_000 : 50),
                        Ends.FAST,
                        seed)
                .run(Long.MAX_VALUE, 10 * SECOND);
    }

    private static Run steady(LevelModel model, Data data, double wire, long bytes) {
        return new SimulatedChannel(model, _ -> data, _ -> wire, Ends.FAST, SEED)
                .run(bytes, Long.MAX_VALUE);
    }

    private static double bytesPerNano(int megabits) {
        return megabits / 8e3;
    }

    /** Approximately what the best level can send in this many seconds. */
    private static long bytesInSeconds(Data data, double wire, int seconds) {
        double best = Math.min(3, wire);
        for (Level level : Level.ALL.subList(1, Level.ALL.size())) {
            int index = level.code();
            best =
                    Math.max(
                            best,
                            Math.min(data.compress()[index] / 1e3, wire / data.ratio()[index]));
        }
        return (long) (best * seconds * SECOND);
    }
}
