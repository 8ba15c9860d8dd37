package petrichor.jobs.jobgraph;

import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/** Small job graphs for the tests of this module. */
final class Graphs {
    static final RecordType WORDS = RecordType.of(Field.text("word"), Field.int64("times"));
    static final RecordType OTHER = RecordType.of(Field.int64("id"));

    private Graphs() {}

    static JobVertex source(int id, int parallelism) {
        return source(id, parallelism, WORDS);
    }

    static JobVertex source(int id, int parallelism, RecordType type) {
        return new JobVertex(
                id,
                "source " + id,
                new Operation.Read(new EmptySource(type)),
                List.of(),
                List.of(),
                type,
                Annotations.parallel(parallelism));
    }

    static JobVertex relay(int id, int parallelism) {
        return new JobVertex(
                id,
                "relay " + id,
                new Operation.Relay(),
                List.of(TaskInput.of(WORDS)),
                List.of(),
                WORDS,
                Annotations.parallel(parallelism));
    }

    static JobVertex sink(int id, int parallelism) {
        return new JobVertex(
                id,
                "sink " + id,
                new Operation.Write(new VoidSink(WORDS)),
                List.of(TaskInput.of(WORDS)),
                List.of(),
                null,
                Annotations.parallel(parallelism));
    }

    static JobEdge edge(int from, int to, ChannelType channel) {
        return new JobEdge(from, to, 0, new Shipping.Rebalance(), channel);
    }

    static JobEdge edge(int from, int to, Shipping shipping) {
        return new JobEdge(from, to, 0, shipping, ChannelType.NETWORK);
    }

    /** A source, a relay and a sink, two subtasks each, connected by these channels. */
    static JobGraph line(ChannelType first, ChannelType second) {
        return new JobGraph(
                "line",
                List.of(source(1, 2), relay(2, 2), sink(3, 2)),
                List.of(edge(1, 2, first), edge(2, 3, second)));
    }

    record EmptySource(RecordType type) implements Source {
        @Override
        public String name() {
            return "nothing";
        }

        @Override
        public List<Split> splits(int wanted) {
            return List.of();
        }

        @Override
        public SplitReader open(Split split) {
            throw new UnsupportedOperationException("there is no split");
        }
    }

    record VoidSink(RecordType accepted) implements Sink {
        @Override
        public String name() {
            return "nowhere";
        }

        @Override
        public void check(RecordType type) {
            if (!type.equals(accepted)) {
                throw PetrichorException.invalid("only " + accepted + " goes nowhere");
            }
        }

        @Override
        public void begin(RecordType type, int subtasks) {}

        @Override
        public Writer open(RecordType type, int subtask) {
            return new Writer() {
                @Override
                public void write(RecordView record) {}

                @Override
                public void finish() {}

                @Override
                public void close() {}
            };
        }

        @Override
        public void commit(int subtasks) {}

        @Override
        public void abort(int subtasks) {}
    }
}
