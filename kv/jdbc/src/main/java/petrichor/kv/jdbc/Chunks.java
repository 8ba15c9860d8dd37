package petrichor.kv.jdbc;

import java.util.ArrayList;
import java.util.List;
import petrichor.kv.jdbc.TableChanges.Row;

/** Divides rows into chunks that a server accepts in one statement. */
final class Chunks {
    private Chunks() {}

    /** Keeps their order; a row above the limit is a chunk by itself. */
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
