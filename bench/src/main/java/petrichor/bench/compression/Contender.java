package petrichor.bench.compression;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.compression.DataRateModel;
import petrichor.jobs.channels.compression.FixedLevel;
import petrichor.jobs.channels.compression.Level;
import petrichor.jobs.channels.compression.LevelModel;
import petrichor.jobs.channels.compression.PipelineModel;

/** A strategy for choosing a channel's compression level. */
enum Contender {
    NONE("none", Level.NONE),
    LZ4("lz4", Level.LZ4),
    ZSTD_1("zstd-1", Level.ZSTD_1),
    ZSTD_3("zstd-3", Level.ZSTD_3),
    ZSTD_9("zstd-9", Level.ZSTD_9),
    /**
     * The thesis' algorithm. Its runs took minutes with a period of two seconds; these take
     * seconds, so the period is proportionally shorter.
     */
    THESIS("thesis", null),
    PETRICHOR("petrichor", null);

    /** About the same fraction of a run as two seconds in the thesis, and enough blocks. */
    private static final Duration THESIS_PERIOD = Duration.ofMillis(100);

    private final String word;
    private final Optional<Level> level;

    Contender(String word, @Nullable Level level) {
        this.word = word;
        this.level = Optional.ofNullable(level);
    }

    String displayName() {
        return word;
    }

    /** Whether it always uses the same level. */
    boolean isStatic() {
        return level.isPresent();
    }

    LevelModel model() {
        return switch (this) {
            case NONE, LZ4, ZSTD_1, ZSTD_3, ZSTD_9 -> new FixedLevel(level.orElseThrow());
            case THESIS -> new DataRateModel(THESIS_PERIOD);
            case PETRICHOR -> PipelineModel.forNetwork();
        };
    }

    static Contender of(String word) {
        return Stream.of(values())
                .filter(contender -> contender.word.equals(word))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("no contender " + word));
    }

    static List<Contender> all() {
        return Arrays.asList(values());
    }
}
