package petrichor.transactions.databases;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
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
     * Where a branch begins.
     *
     * @param parent number of the parent
     * @param version of the parent that the branch shares
     * @param name of the parent
     */
    record Origin(int parent, long version, String name) {}

    /**
     * Catalog entry of a database.
     *
     * @param salt distinguishes its transaction ids from those of others
     * @param rule the placement that its rows follow; empty if they are all in the home store
     * @param origin null if it is not a branch. Servers that do not know branches read it as a part
     *     of the rule, and refuse the database.
     */
    record Entry(int number, long salt, String rule, @Nullable Origin origin) {
        /** Never occurs in a rule. */
        private static final byte END_OF_RULE = 0;

        byte[] encoded() {
            byte[] text = rule.getBytes(StandardCharsets.UTF_8);
            byte[] begins = origin == null ? new byte[0] : encoded(origin);
            return ByteBuffer.allocate(Integer.BYTES + Long.BYTES + text.length + begins.length)
                    .putInt(number)
                    .putLong(salt)
                    .put(text)
                    .put(begins)
                    .array();
        }

        private static byte[] encoded(Origin origin) {
            byte[] name = origin.name.getBytes(StandardCharsets.UTF_8);
            return ByteBuffer.allocate(1 + Integer.BYTES + Long.BYTES + name.length)
                    .put(END_OF_RULE)
                    .putInt(origin.parent)
                    .putLong(origin.version)
                    .put(name)
                    .array();
        }

        static Entry decode(byte[] value) {
            ByteBuffer bytes = ByteBuffer.wrap(value);
            int number = bytes.getInt();
            long salt = bytes.getLong();
            int end = bytes.position();
            while (end < value.length && value[end] != END_OF_RULE) {
                end++;
            }
            String rule = text(bytes, end - bytes.position());
            if (!bytes.hasRemaining()) {
                return new Entry(number, salt, rule, null);
            }
            bytes.position(end + 1);
            int parent = bytes.getInt();
            long version = bytes.getLong();
            Origin origin = new Origin(parent, version, text(bytes, bytes.remaining()));
            return new Entry(number, salt, rule, origin);
        }

        private static String text(ByteBuffer bytes, int length) {
            byte[] text = new byte[length];
            bytes.get(text);
            return new String(text, StandardCharsets.UTF_8);
        }

        TableLayout layout() {
            return origin == null
                    ? new TableLayout(number)
                    : TableLayout.ofBranch(number, origin.version);
        }

        /** FAILED_PRECONDITION with another rule: rows would be looked up in the wrong store. */
        void requireRule(String name, String configured) {
            if (!rule.equals(configured)) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "The database {database} was created with another placement: it has"
                                + " {placement}, the configuration has {configured}. Restore the"
                                + " previous placement; to change it, export the data, drop the"
                                + " database, and import it with the new one.",
                        "placement",
                        described(rule),
                        "configured",
                        described(configured),
                        "database",
                        name);
            }
        }

        private static String described(String rule) {
            return rule.isEmpty() ? "none" : "\"" + rule + "\"";
        }
    }

    /** A name's length in UTF-8. */
    int NAME_BYTES_MAX = 1_000;

    static void requireName(String name) {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > NAME_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "A database's name has 1 to " + NAME_BYTES_MAX + " bytes, not {bytes}.",
                    "bytes",
                    bytes);
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

    /** The existing entry, or a new one with this salt, rule and origin. */
    Entry create(String name, long salt, String rule, @Nullable Origin origin);

    /**
     * Removes the name: as part of {@code rows}, which remove everything else of the database, if
     * one batch can do both; otherwise immediately.
     */
    void remove(String name, Entry entry, WriteBatch rows);

    /** Adds, for a branch, the row by which it is found as a branch of its parent. */
    static void link(WriteBatch batch, String name, Entry entry) {
        if (entry.origin != null) {
            batch.put(TableLayout.META, linkKey(entry), name.getBytes(StandardCharsets.UTF_8));
        }
    }

    static void unlink(WriteBatch batch, Entry entry) {
        if (entry.origin != null) {
            batch.delete(TableLayout.META, linkKey(entry));
        }
    }

    private static byte[] linkKey(Entry entry) {
        int parent = Objects.requireNonNull(entry.origin).parent;
        return new TableLayout(parent).branchKey(entry.number);
    }

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
