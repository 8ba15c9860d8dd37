package petrichor.services.queues;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.Row;
import petrichor.transactions.RowReader;
import petrichor.transactions.RowWrite;

/**
 * The reads and writes of one commit, collected while it is computed. A later write of a row
 * replaces an earlier one. Confined to one thread.
 */
public final class RowEdits {
    private final RowReader reader;
    private final List<byte[]> required = new ArrayList<>();
    private final Map<Bytes, RowWrite> writes = new LinkedHashMap<>();

    /** Rows on which concurrent writers conflict. */
    private final Map<Bytes, byte[]> guarded = new LinkedHashMap<>();

    RowEdits(RowReader reader) {
        this.reader = reader;
    }

    /** Reads as of the base of the commit; does not see the edits. */
    public RowReader reader() {
        return reader;
    }

    /** A row that must not change until the commit. */
    @Nullable Row require(byte[] key) {
        required.add(key);
        return reader.get(key);
    }

    /** Writes the row that represents an object; concurrent writers of it conflict. */
    public void put(byte[] key, byte[] value) {
        guarded.put(Bytes.of(key), key);
        writes.put(Bytes.of(key), new RowWrite(key, value, reader.get(key)));
    }

    /** Removes the row that represents an object; concurrent writers of it conflict. */
    public void remove(byte[] key) {
        guarded.put(Bytes.of(key), key);
        removeDerived(key);
    }

    /** Writes a row that depends on a guarded row only, and that does not exist. */
    void addDerived(byte[] key, byte[] value) {
        writes.put(Bytes.of(key), new RowWrite(key, value, null));
    }

    /** Removes a row that depends on a guarded row only. */
    void removeDerived(byte[] key) {
        Row prior = reader.get(key);
        if (prior != null) {
            writes.put(Bytes.of(key), new RowWrite(key, null, prior));
        } else {
            writes.remove(Bytes.of(key));
        }
    }

    /** The written rows. */
    List<RowWrite> writes() {
        return List.copyOf(writes.values());
    }

    boolean isEmpty() {
        return writes.isEmpty();
    }

    CommitRequest request() {
        return new CommitRequest(
                reader.version(), required, List.of(), List.copyOf(guarded.values()), writes());
    }
}
