package petrichor.transactions;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;

/**
 * The rows that this process committed last, as it left them: who reads them again, which most
 * writers do, need not ask the store. A row that was only read is not kept: it could have been
 * written again between the read and the keeping.
 *
 * <p>Also right for who has lost the database without knowing: what others write has a version that
 * nobody here reads at. Bounded; the oldest go first. Any thread reads; the holder of the sequencer
 * changes.
 */
final class CommittedRows {
    /** What a row costs beside its key and value. */
    private static final int ROW_BYTES = 120;

    /**
     * A row, or that there is none.
     *
     * @param number of all that were kept
     */
    private record Kept(Bytes key, byte @Nullable [] value, long number) {
        long bytes() {
            return (long) ROW_BYTES + key.array().length + (value == null ? 0 : value.length);
        }
    }

    private final long bytesMax;
    private final ConcurrentHashMap<Bytes, Kept> rows = new ConcurrentHashMap<>();
    private final Deque<Kept> byAge = new ArrayDeque<>();
    private long bytes;
    private long numbers;

    CommittedRows(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** To be called when the step is durable and before anybody is told of its version. */
    synchronized void add(WriteBatch batch) {
        for (WriteBatch.Op change : batch.ops()) {
            if (!change.table().equals(RowLayout.ROWS)) {
                continue;
            }
            switch (change) {
                case WriteBatch.Put(String _, byte[] key, byte[] value) ->
                        keep(Bytes.of(key), value);
                case WriteBatch.Delete(String _, byte[] key) -> keep(Bytes.of(key), null);
                case WriteBatch.DeleteRange _ -> clear();
            }
        }
        while (bytes > bytesMax) {
            Kept oldest = byAge.removeFirst();
            bytes -= oldest.bytes();
            // Not if it was written again since: that one has its own turn.
            rows.computeIfPresent(oldest.key, (_, now) -> now.number == oldest.number ? null : now);
        }
    }

    private void keep(Bytes key, byte @Nullable [] value) {
        Kept row = new Kept(key, value, ++numbers);
        rows.put(key, row);
        byAge.addLast(row);
        bytes += row.bytes();
    }

    /** Others may have written. */
    synchronized void clear() {
        rows.clear();
        byAge.clear();
        bytes = 0;
    }

    /** These before those of the store; only single rows, scans need all there are. */
    Reads over(Reads store) {
        return new Reads() {
            @Override
            public byte @Nullable [] get(String table, byte[] key) {
                Kept kept = table.equals(RowLayout.ROWS) ? rows.get(Bytes.of(key)) : null;
                return kept == null ? store.get(table, key) : kept.value;
            }

            @Override
            public List<byte @Nullable []> get(String table, List<byte[]> keys) {
                return table.equals(RowLayout.ROWS)
                        ? rowsOrStored(store, keys)
                        : store.get(table, keys);
            }

            @Override
            public Scan scan(String table, KeyRange range, Direction direction, int limit) {
                return store.scan(table, range, direction, limit);
            }
        };
    }

    private List<byte @Nullable []> rowsOrStored(Reads store, List<byte[]> keys) {
        List<byte @Nullable []> values = new ArrayList<>(keys.size());
        List<byte[]> missing = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        for (byte[] key : keys) {
            Kept kept = rows.get(Bytes.of(key));
            if (kept == null) {
                missing.add(key);
                places.add(values.size());
            }
            values.add(kept == null ? null : kept.value);
        }
        if (!missing.isEmpty()) {
            List<byte @Nullable []> found = store.get(RowLayout.ROWS, missing);
            for (int i = 0; i < places.size(); i++) {
                values.set(places.get(i), found.get(i));
            }
        }
        return values;
    }
}
