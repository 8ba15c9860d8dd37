package petrichor.transactions.log;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import petrichor.base.Bytes;
import petrichor.kv.WriteBatch;

/** What several steps of a log leave in the rows. Pure functions. */
public final class LastOfEachRow {
    private record Place(String table, Bytes key) {}

    private LastOfEachRow() {}

    /**
     * Keeps only the last of several changes to the same row: stores order changes of the same
     * version by value, or apply deletions first.
     */
    public static Iterable<WriteBatch.Op> of(List<LogRecord.Batch> batches) {
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
            // A range must not be confused with the row at its start.
            case WriteBatch.DeleteRange range ->
                    new Place("range of " + range.table(), Bytes.of(range.range().from()));
        };
    }
}
