package petrichor.transactions.databases;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.transactions.log.CommitPoints;
import petrichor.transactions.rows.TableLayout;

/**
 * Maps the names of a store's databases to the numbers that prefix their rows. A number is never
 * reused: late writes to a dropped database cannot reach another database. Servers may create
 * databases concurrently. Thread-safe.
 */
interface Catalog {
    /**
     * Catalog entry of a database.
     *
     * @param salt distinguishes its transaction ids from those of others
     * @param rule the placement that its rows follow; empty if they are all in the home store
     */
    record Entry(int number, long salt, String rule) {
        byte[] encoded() {
            byte[] text = rule.getBytes(StandardCharsets.UTF_8);
            return ByteBuffer.allocate(Integer.BYTES + Long.BYTES + text.length)
                    .putInt(number)
                    .putLong(salt)
                    .put(text)
                    .array();
        }

        static Entry decode(byte[] value) {
            ByteBuffer bytes = ByteBuffer.wrap(value);
            int number = bytes.getInt();
            long salt = bytes.getLong();
            byte[] text = new byte[bytes.remaining()];
            bytes.get(text);
            return new Entry(number, salt, new String(text, StandardCharsets.UTF_8));
        }
    }

    /** The implementation for the store's kind of durable step. */
    static Catalog of(KeyValueStore store) {
        return switch (store.durableStep()) {
            case DurableStep.AtomicBatch step -> new AtomicCatalog(store, step);
            case DurableStep.ConditionalRow step -> new ConditionalCatalog(store, step);
            case DurableStep.PlainRow _ -> throw CommitPoints.unsupported();
        };
    }

    @Nullable Entry find(String name);

    /** The existing entry, or a new one with this salt and rule. */
    Entry create(String name, long salt, String rule);

    /**
     * Removes the name: as part of {@code rows}, which remove everything else of the database, if
     * one batch can do both; otherwise immediately.
     */
    void remove(String name, WriteBatch rows);

    static List<String> names(KeyValueStore store) {
        List<String> names = new ArrayList<>();
        KeyRange all = KeyRange.ofPrefix(TableLayout.nameKey(""));
        try (Scan scan = store.scan(TableLayout.META, all, Direction.FORWARD, Integer.MAX_VALUE)) {
            while (scan.next()) {
                byte[] key = scan.key();
                names.add(new String(key, 1, key.length - 1, StandardCharsets.UTF_8));
            }
        }
        return names;
    }
}
