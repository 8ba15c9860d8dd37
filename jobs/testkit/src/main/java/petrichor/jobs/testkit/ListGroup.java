package petrichor.jobs.testkit;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.Group;
import petrichor.jobs.records.Record;

/** A group of records in memory. */
final class ListGroup implements Group {
    private final List<Record> records;
    private int at;

    ListGroup(List<Record> records) {
        this.records = records;
    }

    @Override
    public @Nullable Record key() {
        return records.isEmpty() ? null : records.getFirst();
    }

    @Override
    public @Nullable Record next() {
        return at < records.size() ? records.get(at++) : null;
    }
}
