package petrichor.jobs.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/** Records as plain values, to compute expected results; and a source of them. */
public final class Rows {
    /** Replay with -Dseed=. */
    public static final long SEED = Long.getLong("seed", System.nanoTime());

    public static final RecordType TYPE =
            RecordType.of(Field.int64("key"), Field.text("text"), Field.int64("value"));

    private Rows() {}

    /** One record. */
    public record Row(@Nullable Long key, String text, long value) implements java.io.Serializable {
        static Row of(RecordView record) {
            return new Row(
                    record.isNull(0) ? null : record.int64(0), record.text(1), record.int64(2));
        }

        void into(RecordBuilder builder) {
            if (key != null) {
                builder.int64(0, key);
            }
            builder.text(1, text).int64(2, value);
        }
    }

    static final Comparator<Row> BY_KEY =
            Comparator.comparing(Row::key, Comparator.nullsFirst(Comparator.naturalOrder()));

    static final Comparator<Row> BY_ALL =
            BY_KEY.thenComparing(Row::text).thenComparingLong(Row::value);

    /** Rows whose keys are below a bound, one in twenty of them null. */
    public static List<Row> random(int count, int keys, long seed) {
        Random random = new Random(seed);
        List<Row> rows = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Long key = random.nextInt(20) == 0 ? null : (long) random.nextInt(keys) - keys / 2;
            String text = "t" + random.nextInt(keys) + "x".repeat(random.nextInt(40));
            rows.add(new Row(key, text, random.nextInt(1000)));
        }
        return rows;
    }

    static Source source(List<Row> rows) {
        return new ListSource(new ArrayList<>(rows));
    }

    /** A source of rows, in splits of up to a thousand. */
    private record ListSource(ArrayList<Row> rows) implements Source {
        private static final int PER_SPLIT = 1000;

        private record Part(int from, int to) implements Split {}

        @Override
        public String name() {
            return "rows";
        }

        @Override
        public RecordType type() {
            return TYPE;
        }

        @Override
        public List<Split> splits(int wanted) {
            List<Split> splits = new ArrayList<>();
            for (int from = 0; from < rows.size(); from += PER_SPLIT) {
                splits.add(new Part(from, Math.min(rows.size(), from + PER_SPLIT)));
            }
            return splits;
        }

        @Override
        public SplitReader open(Split split) throws IOException {
            Part part = (Part) split;
            return new SplitReader() {
                private int next = part.from();

                @Override
                public boolean read(Out out) {
                    for (int i = 0; i < 100 && next < part.to(); i++) {
                        RecordBuilder builder = out.record();
                        rows.get(next++).into(builder);
                        builder.emit();
                    }
                    return next < part.to();
                }

                @Override
                public String position() {
                    return "row " + next;
                }

                @Override
                public void close() {}
            };
        }
    }
}
