package petrichor.transactions.databases;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.TableLayout;

/**
 * Catalog for stores with conditional writes of single rows (tier B): first claims a number, in a
 * row that is never removed, then writes the name. A server that claims a number and finds the name
 * taken wastes the number.
 *
 * <pre>
 *   meta     'c' number(4)   -> salt(8) of the claimant
 * </pre>
 */
final class ConditionalCatalog implements Catalog {
    private static final byte[] CLAIMS = {'c'};

    private final KeyValueStore store;
    private final DurableStep.ConditionalRow step;

    ConditionalCatalog(KeyValueStore store, DurableStep.ConditionalRow step) {
        this.store = store;
        this.step = step;
    }

    @Override
    public @Nullable Entry find(String name) {
        byte[] value = step.read(TableLayout.META, TableLayout.nameKey(name));
        return value == null ? null : Entry.decode(value);
    }

    @Override
    public Entry create(String name, long salt, String rule, @Nullable Origin origin) {
        Entry present = find(name);
        if (present != null) {
            return present;
        }
        Entry entry = new Entry(claimNumber(name, salt), salt, rule, origin);
        if (origin != null) {
            // Before the name: a link without a name is ignored, a branch without a link would lose
            // what it shares.
            WriteBatch link = new WriteBatch();
            Catalog.link(link, name, entry);
            store.write(link);
        }
        if (put(name, TableLayout.nameKey(name), entry.encoded())) {
            return entry;
        }
        Entry other = find(name);
        if (other == null) {
            throw failed(name);
        }
        return other;
    }

    private int claimNumber(String name, long salt) {
        byte[] claim = ByteBuffer.allocate(Long.BYTES).putLong(salt).array();
        int number = lastNumber() + 1;
        while (!put(name, claimKey(number), claim)) {
            number++;
        }
        return number;
    }

    private int lastNumber() {
        try (Scan scan =
                store.scan(TableLayout.META, KeyRange.ofPrefix(CLAIMS), Direction.REVERSE, 1)) {
            return scan.next() ? ByteBuffer.wrap(scan.key()).getInt(CLAIMS.length) : 0;
        }
    }

    private static byte[] claimKey(int number) {
        return ByteBuffer.allocate(CLAIMS.length + Integer.BYTES)
                .put(CLAIMS)
                .putInt(number)
                .array();
    }

    /** False if another process has written the row. */
    private boolean put(String name, byte[] key, byte[] value) {
        return switch (step.putIfAbsent(TableLayout.META, key, value)) {
            case DONE -> true;
            // A store that retried may have found its own first attempt.
            case FENCED -> Arrays.equals(value, step.read(TableLayout.META, key));
            case UNKNOWN -> throw failed(name);
        };
    }

    private static PetrichorException failed(String name) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "The store failed while the database was created; retry.",
                "database",
                name);
    }

    /** After this, opening the name allocates another number. */
    @Override
    public void remove(String name, Entry entry, WriteBatch rows) {
        WriteBatch names = new WriteBatch().delete(TableLayout.META, TableLayout.nameKey(name));
        Catalog.unlink(names, entry);
        store.write(names);
    }
}
