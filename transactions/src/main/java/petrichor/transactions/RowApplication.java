package petrichor.transactions;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import petrichor.base.Bytes;
import petrichor.kv.DurableStep;
import petrichor.kv.WriteBatch;

/**
 * Puts what the log says into the rows, any number of times, by any number of processes: each row
 * keeps the newest version that anybody put. Safe for any thread.
 *
 * <p>What a step replaced is put before what replaces it. The store may show some rows of a step
 * and not yet others; who reads an older version and meets a row that is too young must find in
 * history what was there.
 */
final class RowApplication {
    private record Place(String table, Bytes key) {}

    private final DurableStep.ConditionalRow step;

    RowApplication(DurableStep.ConditionalRow step) {
        this.step = step;
    }

    /** All of these, in the order of the log; as of then a row has its last value only. */
    void apply(List<LogRecord.Batch> batches) {
        WriteBatch history = new WriteBatch();
        WriteBatch rows = new WriteBatch();
        for (WriteBatch.Op change : lastOfEachRow(batches)) {
            boolean past = change.table().equals(RowLayout.HISTORY);
            (past && change instanceof WriteBatch.Put ? history : rows).add(change);
        }
        long version = batches.getLast().version();
        if (!history.isEmpty()) {
            step.putIfNewer(history, version);
        }
        if (!rows.isEmpty()) {
            step.putIfNewer(rows, version);
        }
    }

    /** Stores order what has one version by value, or deletes first: there must be one each. */
    private static Iterable<WriteBatch.Op> lastOfEachRow(List<LogRecord.Batch> batches) {
        Map<Place, WriteBatch.Op> changes = new LinkedHashMap<>();
        for (LogRecord.Batch batch : batches) {
            for (WriteBatch.Op change : batch.rows().ops()) {
                Place place = place(change);
                changes.remove(place);
                changes.put(place, change);
            }
        }
        return changes.values();
    }

    private static Place place(WriteBatch.Op change) {
        return switch (change) {
            case WriteBatch.Put(String table, byte[] key, byte[] _) ->
                    new Place(table, Bytes.of(key));
            case WriteBatch.Delete(String table, byte[] key) -> new Place(table, Bytes.of(key));
            // A range is no row; one that begins where a row is must not be taken for that row.
            case WriteBatch.DeleteRange range ->
                    new Place("range of " + range.table(), Bytes.of(range.range().from()));
        };
    }
}
