package petrichor.jobs.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.JobControl;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.Aggregation.Step;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.Slice;
import petrichor.jobs.records.Words;

/** Counts by text, for all lengths of keys and any amount of memory. */
@Timeout(120)
class HashAggregationTest {
    private static final RecordType WORDS = RecordType.of(Field.int32("n"), Field.text("word"));
    private static final RecordType COUNTS =
            RecordType.of(Field.text("word"), Field.int64("count"));
    private static final Aggregation COUNT = Aggregation.by(List.of(1), Aggregate.count());

    @TempDir Path folder;
    private Workspace space;
    private final BlockPool pool = new BlockPool();

    @BeforeEach
    void openSpace() {
        space = new Workspace(new JobControl(), pool, new SpillArea(folder, Long.MAX_VALUE));
    }

    /** Few and many keys; all in memory, and far more than fits. */
    @ParameterizedTest
    @CsvSource({"1, 50, 64", "2, 5000, 64", "3, 200000, 64", "4, 300000, 1", "5, 40, 1"})
    void oneAndTwoPhasesCountEveryKeyOnce(long seed, int keys, int mebibytes) {
        SplittableRandom random = new SplittableRandom(seed);
        List<@Nullable String> words = words(random, keys);
        Map<@Nullable String, Long> expected = new HashMap<>();
        words.forEach(word -> expected.merge(word, 1L, Long::sum));

        long share = (long) mebibytes << 20;
        Map<@Nullable String, Long> whole = new HashMap<>();
        try (HashAggregation table = aggregation(Step.WHOLE, WORDS, share)) {
            feed(words, table::add);
            table.emit(record -> unique(record, whole), false);
        }
        assertThat(whole).isEqualTo(expected);

        Map<@Nullable String, Long> combined = new HashMap<>();
        try (HashAggregation last = aggregation(Step.FINAL, COUNTS, share);
                HashAggregation combiner = aggregation(Step.PARTIAL, WORDS, share)) {
            feed(words, word -> combiner.addOrEmit(word, last::add));
            combiner.emit(last::add, true);
            last.emit(record -> unique(record, combined), false);
        }
        assertThat(combined).isEqualTo(expected);
        assertThat(pool.lent()).isZero();
    }

    @Test
    void aFullTableCountsItsKeysAndReturnsItsMemory() {
        MemoryShare share = new MemoryShare(1 << 20);
        ShortKeyCounts counts =
                Objects.requireNonNull(ShortKeyCounts.of(COUNT, Step.WHOLE, WORDS, share));
        int[] taken = new int[2];
        feed(words(new SplittableRandom(9), 200_000), word -> taken[counts.add(word) ? 0 : 1]++);
        assertThat(taken[0]).isPositive();
        assertThat(taken[1]).isPositive();
        assertThat(share.free())
                .isLessThan(share.limit())
                .isGreaterThanOrEqualTo(share.limit() / 2);
        int[] emitted = new int[1];
        counts.emit(new RecordBuilder(COUNTS), record -> emitted[0] += (int) record.int64(1));
        assertThat(emitted[0]).isEqualTo(taken[0]);
        assertThat(share.free()).isEqualTo(share.limit());
    }

    @Test
    void theFirstKeysLeaveAnEmptySlotToEndLookups() {
        MemoryShare share = new MemoryShare(1 << 20);
        ShortKeyCounts counts =
                Objects.requireNonNull(ShortKeyCounts.of(COUNT, Step.WHOLE, WORDS, share));
        int[] taken = new int[1];
        feed(List.of("a", "b", "a"), word -> taken[0] += counts.add(word) ? 1 : 0);
        assertThat(taken[0]).isEqualTo(3);
    }

    /**
     * Keys chosen to collide: lookups stay short, the other table takes the rest, and every key is
     * counted once.
     */
    @Test
    void collidingKeysAreCountedWithoutLongLookups() {
        RecordType bytes = RecordType.of(Field.int32("n"), Field.bytes("key"));
        RecordType counted = RecordType.of(Field.bytes("key"), Field.int64("count"));
        MemoryShare share = new MemoryShare(64 << 20);
        ShortKeyCounts table =
                Objects.requireNonNull(ShortKeyCounts.of(COUNT, Step.WHOLE, bytes, share));
        RecordBuilder builder = new RecordBuilder(bytes);
        int taken = 0;
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 4 * ShortKeyCounts.PROBES_MAX; i++) {
                taken += table.add(colliding(builder, i)) ? 1 : 0;
            }
        }
        assertThat(taken).isEqualTo(3 * ShortKeyCounts.PROBES_MAX);

        int keys = 20_000;
        Map<Long, Long> found = new HashMap<>();
        try (HashAggregation all =
                new HashAggregation(COUNT, Step.WHOLE, bytes, counted, share, space)) {
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < keys; i++) {
                    all.add(colliding(builder, i));
                }
            }
            Slice key = new Slice();
            all.emit(
                    record -> {
                        record.slice(0, key);
                        found.merge(Words.int64(key.base(), key.at()), record.int64(1), Long::sum);
                    },
                    false);
        }
        assertThat(found).hasSize(keys).allSatisfy((_, count) -> assertThat(count).isEqualTo(2));
        table.clear();
        assertThat(share.free()).isEqualTo(share.limit());
    }

    /** The i-th key of eight bytes whose hash ends in 32 zeros: {@link Words#mix} reversed. */
    private static RecordView colliding(RecordBuilder builder, int i) {
        long hash = (long) i << 32;
        long x = hash ^ hash >>> 32;
        x *= inverse(0xD6E8FEB86659FD93L);
        x ^= x >>> 29 ^ x >>> 58;
        x *= inverse(0x9FB21C651E98DF25L);
        x ^= x >>> 32;
        byte[] key = new byte[Long.BYTES];
        Words.int64(key, 0, x - Long.BYTES);
        assertThat((int) Words.mix(x)).isZero();
        return builder.start().int32(0, 7).bytes(1, key, 0, key.length).finish();
    }

    /**
     * Modular inverse of an odd number, modulo 2 to the 64: each step of Newton's method doubles
     * the bits.
     */
    private static long inverse(long odd) {
        long inverse = odd;
        for (int bits = 3; bits < Long.SIZE; bits *= 2) {
            inverse *= 2 - odd * inverse;
        }
        return inverse;
    }

    private HashAggregation aggregation(Step step, RecordType input, long share) {
        return new HashAggregation(COUNT, step, input, COUNTS, new MemoryShare(share), space);
    }

    private static void feed(
            List<@Nullable String> words, java.util.function.Consumer<RecordView> into) {
        RecordBuilder builder = new RecordBuilder(WORDS);
        for (String word : words) {
            builder.start().int32(0, 7);
            if (word != null) {
                builder.text(1, word);
            }
            into.accept(builder.finish());
        }
    }

    private static void unique(RecordView record, Map<@Nullable String, Long> into) {
        String word = record.isNull(0) ? null : record.text(0);
        assertThat(into.put(word, record.int64(1))).as("twice: %s", word).isNull();
    }

    /**
     * Texts of 0 to 12 bytes, including zeros and the same bytes at different lengths; and null.
     */
    private static List<@Nullable String> words(SplittableRandom random, int keys) {
        List<@Nullable String> vocabulary = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            StringBuilder word = new StringBuilder();
            for (int length = random.nextInt(13); length > 0; length--) {
                word.append((char) (random.nextInt(8) == 0 ? 0 : 'a' + random.nextInt(26)));
            }
            vocabulary.add(word.toString());
        }
        vocabulary.add(null);
        List<@Nullable String> words = new ArrayList<>(vocabulary);
        for (int i = 0; i < 300_000; i++) {
            words.add(vocabulary.get(random.nextInt(1 + random.nextInt(vocabulary.size()))));
        }
        return words;
    }
}
