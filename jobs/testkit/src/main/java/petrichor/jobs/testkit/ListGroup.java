package petrichor.jobs.testkit;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.Group;
import petrichor.jobs.records.RecordView;

/** A group of records in memory. */
final class ListGroup implements Group {
    private final List<RecordView> records;
    private int at;

    ListGroup(List<RecordView> records) {
        this.records = records;
    }

    @Override
    public @Nullable RecordView key() {
        return records.isEmpty() ? null : records.getFirst();
    }

    @Override
    public @Nullable RecordView next() {
        return at < records.size() ? records.get(at++) : null;
    }
}
