package petrichor.kv.jdbc;

import java.util.ArrayList;
import java.util.List;
import petrichor.kv.jdbc.TableChanges.Row;

/** Rows in portions that a server takes in one statement. */
final class Chunks {
    private Chunks() {}

    /** In their order; a row that is greater than the limit is a portion of its own. */
    static List<List<Row>> of(List<Row> rows, long bytesMax) {
        List<List<Row>> chunks = new ArrayList<>();
        int start = 0;
        long bytes = 0;
        for (int i = 0; i < rows.size(); i++) {
            bytes += rows.get(i).bytes();
            if (i > start && bytes > bytesMax) {
                chunks.add(rows.subList(start, i));
                start = i;
                bytes = rows.get(i).bytes();
            }
        }
        if (start < rows.size()) {
            chunks.add(rows.subList(start, rows.size()));
        }
        return chunks;
    }
}
