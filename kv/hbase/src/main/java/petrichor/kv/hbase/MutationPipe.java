package petrichor.kv.hbase;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.client.Mutation;

/**
 * Sends rows in requests of bounded size, to all tables and servers in parallel. {@link #flush()}
 * sends everything added before and returns when it is durable. Confined to one thread.
 */
final class MutationPipe {
    /** Maximum bytes queued or in flight; a server accepts requests of up to 256 MiB. */
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
