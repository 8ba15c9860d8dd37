package petrichor.jobs.service;

import java.util.List;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.Record;
import petrichor.jobs.records.RecordType;

/** A job that does nothing, run before the first one so that this finds all classes loaded. */
final class Warmth {
    private static final RecordType NUMBER = RecordType.of(Field.int64("number"));

    private Warmth() {}

    static void take() {
        Plan plan = Plan.named("warmth");
        plan.read(new Few())
                .map("map", NUMBER, (in, out) -> out.record().int64(0, in.int64(0)).emit())
                .groupBy("number")
                .aggregate(Aggregate.count())
                .write(new Nowhere());
        Jobs.local()
                .start(
                        plan,
                        new RunEvents(
                                plan.name(),
                                event -> EventJson.parse(EventJson.of(event).toString())))
                .await();
        Assignment.parse(
                new Assignment(
                                java.nio.file.Path.of(""),
                                java.nio.file.Path.of(""),
                                new Submission(null, List.of("x")),
                                false)
                        .json());
    }

    private record Few() implements Source {
        @Override
        public String name() {
            return "few";
        }

        @Override
        public RecordType type() {
            return NUMBER;
        }

        private record All() implements Split {}

        @Override
        public List<Split> splits(int wanted) {
            return List.of(new All());
        }

        @Override
        public SplitReader open(Split split) {
            return new SplitReader() {
                @Override
                public boolean read(Out out) {
                    for (int i = 0; i < 1_000; i++) {
                        out.record().int64(0, i % 10).emit();
                    }
                    return false;
                }

                @Override
                public String position() {
                    return "";
                }

                @Override
                public void close() {}
            };
        }
    }

    private record Nowhere() implements Sink {
        @Override
        public String name() {
            return "nowhere";
        }

        @Override
        public void check(RecordType type) {}

        @Override
        public void begin(RecordType type, int subtasks) {}

        @Override
        public Writer open(RecordType type, int subtask) {
            return new Writer() {
                @Override
                public void write(Record record) {}

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
