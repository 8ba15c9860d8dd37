package petrichor.jobs.formats;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/** Reads a whole source, split by split, like a task. */
final class Reading {
    /** Discards records. */
    static final Out NOWHERE =
            new Out() {
                @Override
                public RecordBuilder record() {
                    return new RecordBuilder(RecordType.of(Field.text("line")), _ -> {});
                }

                @Override
                public void emit(RecordView record) {}
            };

    private Reading() {}

    static List<RecordView> all(Source source, List<Source.Split> splits) throws IOException {
        List<RecordView> records = new ArrayList<>();
        RecordBuilder builder =
                new RecordBuilder(source.type(), record -> records.add(record.copy()));
        Out out =
                new Out() {
                    @Override
                    public RecordBuilder record() {
                        return builder.start();
                    }

                    @Override
                    public void emit(RecordView record) {
                        records.add(record.copy());
                    }
                };
        for (Source.Split split : splits) {
            try (Source.SplitReader reader = source.open(split)) {
                while (reader.read(out)) {
                    // A few thousand at a time.
                }
            }
        }
        return records;
    }

    static List<String> shown(Source source, int splits) throws IOException {
        return all(source, source.splits(splits)).stream().map(RecordView::toString).toList();
    }
}
