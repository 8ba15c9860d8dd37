package petrichor.jobs.testkit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.jobgraph.SourceEstimate;
import petrichor.jobs.pact.Contract;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/** Sources, sinks and outputs of a few records in memory, for tests. */
public final class Rows {
    private Rows() {}

    /** Records of a type, written by a builder. */
    public static List<RecordView> of(RecordType type, int count, IndexedWriter writer) {
        var records = new ArrayList<RecordView>();
        var builder = new RecordBuilder(type);
        for (int i = 0; i < count; i++) {
            writer.write(builder.start(), i);
            records.add(builder.finish().copy());
        }
        return records;
    }

    /** Writes the fields of the record with this number. */
    public interface IndexedWriter {
        void write(RecordBuilder builder, int index);
    }

    public record Part(int from, int to) implements Source.Split {}

    /** A source that may report its size, or a wrong one. */
    public record ListSource(
            String name, RecordType type, List<RecordView> records, SourceEstimate aggregates)
            implements Source {
        public ListSource(String name, RecordType type, List<RecordView> records) {
            this(name, type, records, SourceEstimate.UNKNOWN);
        }

        @Override
        public List<Split> splits(int wanted) {
            var splits = new ArrayList<Split>();
            for (int i = 0; i < wanted; i++) {
                splits.add(
                        new Part(records.size() * i / wanted, records.size() * (i + 1) / wanted));
            }
            return splits;
        }

        private Object writeReplace() {
            return IdentityReference.of(this);
        }

        @Override
        public SplitReader open(Split split) {
            var part = (Part) split;
            return new SplitReader() {
                @Override
                public boolean read(Out out) {
                    records.subList(part.from(), part.to()).forEach(out::emit);
                    return false;
                }

                @Override
                public String position() {
                    return "somewhere";
                }

                @Override
                public void close() {}
            };
        }
    }

    /** Records the output, in the order of the subtasks. */
    public static final class ListSink implements Sink {
        private static final long serialVersionUID = 1L;

        private final String name;
        private final transient List<String> rows = Collections.synchronizedList(new ArrayList<>());

        public ListSink(String name) {
            this.name = name;
        }

        private Object writeReplace() {
            return IdentityReference.of(this);
        }

        /** The output, each record as text. */
        public List<String> rows() {
            return rows;
        }

        public List<String> sortedRows() {
            return rows.stream().sorted().toList();
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void check(RecordType type) {}

        @Override
        public void begin(RecordType type, int subtasks) {
            rows.clear();
        }

        @Override
        public Writer open(RecordType type, int subtask) {
            return new RowWriter(rows);
        }

        @Override
        public void commit(int subtasks) {}

        @Override
        public void abort(int subtasks) {}
    }

    /** Records the output of each subtask, for ordered results. */
    public static final class PartedSink implements Sink {
        private static final long serialVersionUID = 1L;

        private final String name;
        private final transient Map<Integer, List<String>> parts = new ConcurrentSkipListMap<>();

        public PartedSink(String name) {
            this.name = name;
        }

        private Object writeReplace() {
            return IdentityReference.of(this);
        }

        /** The output, the first subtask's first. */
        public List<String> inOrder() {
            return parts.values().stream().flatMap(List::stream).toList();
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void check(RecordType type) {}

        @Override
        public void begin(RecordType type, int subtasks) {
            parts.clear();
        }

        @Override
        public Writer open(RecordType type, int subtask) {
            var rows = new ArrayList<String>();
            parts.put(subtask, rows);
            return new RowWriter(rows);
        }

        @Override
        public void commit(int subtasks) {}

        @Override
        public void abort(int subtasks) {
            parts.clear();
        }
    }

    private record RowWriter(List<String> rows) implements Sink.Writer {
        @Override
        public void write(RecordView record) {
            rows.add(record.toString());
        }

        @Override
        public void finish() {}

        @Override
        public void close() {}
    }

    /** The output of a plan's list sink, sorted. */
    public static List<String> written(Plan plan, String sink) {
        return plan.sinks().stream()
                .filter(node -> node.name().equals(sink))
                .map(node -> ((ListSink) ((Contract.Output) node.contract()).sink()).sortedRows())
                .findFirst()
                .orElseThrow();
    }

    /** An output that passes on a copy of each record. */
    static Out out(RecordType type, Consumer<RecordView> taker) {
        return new Out() {
            private final RecordBuilder builder =
                    new RecordBuilder(type, record -> taker.accept(record.copy()));

            @Override
            public RecordBuilder record() {
                return builder.start();
            }

            @Override
            public void emit(RecordView record) {
                taker.accept(new RecordView(type).at(record).copy());
            }
        };
    }
}
