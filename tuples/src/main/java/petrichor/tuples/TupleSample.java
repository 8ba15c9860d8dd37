package petrichor.tuples;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import petrichor.transactions.RowReader;

/**
 * A uniform sample of the first tuples of a collection.
 *
 * @param tuples without their values
 * @param valueBytes the sizes of their values
 * @param seen tuples from which they were drawn
 * @param complete whether no tuples follow these
 */
record TupleSample(List<Tuple> tuples, List<Integer> valueBytes, int seen, boolean complete) {
    /** Rows that are read together. */
    private static final PageSize PAGE = new PageSize(1_000, 4L << 20, 1_000);

    TupleSample {
        tuples = List.copyOf(tuples);
        valueBytes = List.copyOf(valueBytes);
    }

    /**
     * @param tuplesMax of the sample
     * @param pagesMax pages of 1,000 rows that are read
     */
    static TupleSample of(
            RowReader reader,
            TupleLayout layout,
            int tuplesMax,
            int pagesMax,
            RandomGenerator random) {
        List<Tuple> tuples = new ArrayList<>();
        List<Integer> bytes = new ArrayList<>();
        byte @Nullable [] after = null;
        int seen = 0;
        for (int page = 0; page < pagesMax; page++) {
            FoundTuples found =
                    TupleReads.page(
                            reader,
                            layout,
                            AccessPath.ofAll(layout),
                            TagFilter.EVERYTHING,
                            after,
                            PAGE);
            for (Tuple tuple : found.tuples()) {
                Tuple tags = new Tuple(tuple.key(), new byte[0], tuple.tags(), 0);
                seen++;
                if (tuples.size() < tuplesMax) {
                    tuples.add(tags);
                    bytes.add(tuple.value().length);
                } else {
                    int place = random.nextInt(seen);
                    if (place < tuplesMax) {
                        tuples.set(place, tags);
                        bytes.set(place, tuple.value().length);
                    }
                }
            }
            after = found.position();
            if (after == null) {
                return new TupleSample(tuples, bytes, seen, true);
            }
        }
        return new TupleSample(tuples, bytes, seen, false);
    }

    /** The buckets of a tagged placement; empty for other placements. */
    static List<TagBuckets> buckets(TuplePlacement placement, List<Tuple> sample) {
        if (!(placement instanceof TuplePlacement.Tagged tagged)) {
            return List.of();
        }
        List<TagBuckets> buckets = new ArrayList<>();
        for (String dimension : tagged.dimensions()) {
            List<String> values = new ArrayList<>();
            for (Tuple tuple : sample) {
                String value = tuple.first(dimension);
                if (value != null) {
                    values.add(value);
                }
            }
            buckets.add(TagBuckets.of(values, tagged.bits()));
        }
        return buckets;
    }
}
