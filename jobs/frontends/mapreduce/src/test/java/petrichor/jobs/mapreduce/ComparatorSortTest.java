package petrichor.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ComparatorSortTest {
    private static final long SEED = Long.getLong("seed", 42);
    private static final int PAIRS = 20_000;

    /** All in memory; a few files; more files than may be open, so that some are merged first. */
    @ParameterizedTest
    @ValueSource(longs = {10 << 20, 200 << 10, 10 << 10})
    void pairsAreSortedStably(long memoryBytes) throws IOException {
        List<Integer> values = new ArrayList<>();
        List<Integer> keys = new ArrayList<>();
        try (ComparatorSort sort = new ComparatorSort(new IntWritable.Comparator(), memoryBytes)) {
            RawKeyValueIterator sorted = sort.sorted(new RandomPairs());
            while (sorted.next()) {
                keys.add(sorted.getKey().readInt());
                values.add(sorted.getValue().readInt());
            }
        }
        assertThat(keys).hasSize(PAIRS).isSorted();
        for (int i = 1; i < PAIRS; i++) {
            assertThat(keys.get(i) > keys.get(i - 1) || values.get(i) > values.get(i - 1))
                    .as("pair " + i + ", seed " + SEED)
                    .isTrue();
        }
    }

    @Test
    void anEmptyInputGivesAnEmptyOutput() throws IOException {
        RandomPairs none = new RandomPairs();
        none.number = PAIRS;
        try (ComparatorSort sort = new ComparatorSort(new IntWritable.Comparator(), 1 << 20)) {
            assertThat(sort.sorted(none).next()).isFalse();
        }
    }

    /** A few random keys, with increasing values. */
    private static final class RandomPairs implements RawKeyValueIterator {
        private final Random random = new Random(SEED);
        private int number;
        private final DataInputBuffer key = new DataInputBuffer();
        private final DataInputBuffer value = new DataInputBuffer();

        @Override
        public boolean next() throws IOException {
            if (number == PAIRS) {
                return false;
            }
            fill(key, random.nextInt(100) - 50);
            fill(value, number++);
            return true;
        }

        private static void fill(DataInputBuffer buffer, int with) throws IOException {
            DataOutputBuffer bytes = new DataOutputBuffer();
            bytes.writeInt(with);
            buffer.reset(bytes.getData(), bytes.getLength());
        }

        @Override
        public DataInputBuffer getKey() {
            return key;
        }

        @Override
        public DataInputBuffer getValue() {
            return value;
        }

        @Override
        public void close() {}

        @Override
        public Progress getProgress() {
            return new Progress();
        }
    }
}
