package petrichor.tuples;

import java.util.List;
import petrichor.placement.advisor.OperationKind;

/** An operation on one collection, without values. */
sealed interface SampledOperation {
    OperationKind kind();

    /** Tuples that it found or wrote, some of them if there are many. */
    List<SampledTuple> tuples();

    /** A tuple without its value. */
    record SampledTuple(Tuple tuple, int valueBytes) {
        static SampledTuple of(Tuple tuple) {
            return new SampledTuple(
                    new Tuple(tuple.key(), new byte[0], tuple.tags(), 0), tuple.value().length);
        }

        long bytes() {
            return tuple.bytes();
        }
    }

    /** Tuples by key. */
    record Get(List<String> keys, List<SampledTuple> tuples) implements SampledOperation {
        public Get {
            keys = List.copyOf(keys);
            tuples = List.copyOf(tuples);
        }

        @Override
        public OperationKind kind() {
            return OperationKind.GET;
        }
    }

    /** The first page of a range of keys. */
    record Range(KeySpan span, PageSize size, List<SampledTuple> tuples)
            implements SampledOperation {
        public Range {
            tuples = List.copyOf(tuples);
        }

        @Override
        public OperationKind kind() {
            return OperationKind.RANGE;
        }
    }

    /** The first page of a filter's tuples. */
    record Find(TagFilter filter, PageSize size, List<SampledTuple> tuples)
            implements SampledOperation {
        public Find {
            tuples = List.copyOf(tuples);
        }

        @Override
        public OperationKind kind() {
            return OperationKind.FIND;
        }
    }

    /**
     * The writes of one call.
     *
     * @param created tuples that did not exist
     * @param replaced tuples that existed
     * @param deleted keys of tuples
     */
    record Write(List<SampledTuple> created, List<SampledTuple> replaced, List<String> deleted)
            implements SampledOperation {
        public Write {
            created = List.copyOf(created);
            replaced = List.copyOf(replaced);
            deleted = List.copyOf(deleted);
        }

        @Override
        public OperationKind kind() {
            return OperationKind.WRITE;
        }

        @Override
        public List<SampledTuple> tuples() {
            return java.util.stream.Stream.concat(created.stream(), replaced.stream()).toList();
        }
    }

    /** About what it takes in memory. */
    default long bytes() {
        long bytes = tuples().stream().mapToLong(SampledTuple::bytes).sum();
        return bytes + OVERHEAD_BYTES * (1L + tuples().size());
    }

    /** Of an object with its lists. */
    long OVERHEAD_BYTES = 200;
}
