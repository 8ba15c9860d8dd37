package petrichor.transactions.databases;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.TableLayout;

/**
 * Catalog for stores with atomic batches (tier A): writes a name and the last allocated number in
 * one fenced batch.
 */
final class AtomicCatalog implements Catalog {
    private static final byte[] LAST_NUMBER = {'c'};

    private final KeyValueStore store;
    private final DurableStep.AtomicBatch step;
    private final byte[] domain = "databases".getBytes(StandardCharsets.UTF_8);

    AtomicCatalog(KeyValueStore store, DurableStep.AtomicBatch step) {
        this.store = store;
        this.step = step;
    }

    @Override
    public @Nullable Entry find(String name) {
        byte[] value = store.get(TableLayout.META, TableLayout.nameKey(name));
        return value == null ? null : Entry.decode(value);
    }

    @Override
    public Entry create(String name, long salt, String rule, @Nullable Origin origin) {
        // Another server may create a database at the same time: its fence shuts out this attempt,
        // which is then repeated.
        while (true) {
            long fence = step.takeFence(domain);
            Entry present = find(name);
            if (present != null) {
                return present;
            }
            byte[] last = store.get(TableLayout.META, LAST_NUMBER);
            int number = last == null ? 1 : ByteBuffer.wrap(last).getInt() + 1;
            Entry entry = new Entry(number, salt, rule, origin);
            byte[] newLast = ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
            WriteBatch batch =
                    new WriteBatch()
                            .put(TableLayout.META, LAST_NUMBER, newLast)
                            .put(TableLayout.META, TableLayout.nameKey(name), entry.encoded());
            Catalog.link(batch, name, entry);
            switch (step.commit(domain, fence, batch)) {
                case DONE -> {
                    return entry;
                }
                case FENCED -> {}
                case UNKNOWN ->
                        throw PetrichorException.of(
                                ErrorCode.UNAVAILABLE,
                                "The store failed while the database was created; retry.",
                                "database",
                                name);
            }
        }
    }

    @Override
    public void remove(String name, Entry entry, WriteBatch rows) {
        rows.delete(TableLayout.META, TableLayout.nameKey(name));
        Catalog.unlink(rows, entry);
    }
}
