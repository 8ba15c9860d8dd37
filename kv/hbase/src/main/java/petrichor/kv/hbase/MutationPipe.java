package petrichor.kv.hbase;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.client.Mutation;

/**
 * Sends rows in requests of a bounded size, to all tables and servers at the same time. What is
 * added is on its way at the latest with {@link #flush()}, which returns when all of it is durable.
 * Belongs to one thread.
 */
final class MutationPipe {
    /** Bytes that wait or are on their way; a server takes requests of up to 256 MiB. */
    private static final long BYTES_MAX = 8 << 20;

    private static final int ROWS_MAX = 10_000;

    private final HBaseConnection connection;
    private final Map<String, List<Mutation>> waiting = new TreeMap<>();
    private long bytes;
    private int rows;

    MutationPipe(HBaseConnection connection) {
        this.connection = connection;
    }

    void add(String table, Mutation row) {
        waiting.computeIfAbsent(table, _ -> new ArrayList<>()).add(row);
        bytes += row.heapSize();
        rows++;
        if (bytes >= BYTES_MAX || rows >= ROWS_MAX) {
            flush();
        }
    }

    void flush() {
        List<CompletableFuture<List<Object>>> answers = new ArrayList<>();
        waiting.forEach((table, request) -> answers.add(connection.table(table).batchAll(request)));
        List<String> tables = List.copyOf(waiting.keySet());
        waiting.clear();
        bytes = 0;
        rows = 0;
        for (int i = 0; i < tables.size(); i++) {
            connection.await(answers.get(i), tables.get(i));
        }
    }
}
