package petrichor.tuples;

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

/** The reads and writes of one commit, collected while it is computed. Confined to one thread. */
final class TupleEdits {
    private final RowReader reader;
    private final Map<Bytes, byte[]> required = new LinkedHashMap<>();
    private final Map<Bytes, RowWrite> writes = new LinkedHashMap<>();
    private final Map<Bytes, byte[]> guarded = new LinkedHashMap<>();

    TupleEdits(RowReader reader) {
        this.reader = reader;
    }

    /** Reads as of the base of the commit; does not see the edits. */
    RowReader reader() {
        return reader;
    }

    /** A row that must not change until the commit. */
    @Nullable Row require(byte[] key) {
        requireUnchanged(key);
        return reader.get(key);
    }

    /** Rows that must not change until the commit. */
    List<@Nullable Row> require(List<byte[]> keys) {
        keys.forEach(this::requireUnchanged);
        return keys.isEmpty() ? List.of() : reader.get(keys);
    }

    /** A row that was read already and must not change until the commit. */
    void requireUnchanged(byte[] key) {
        required.put(Bytes.of(key), key);
    }

    /** Writes a row; concurrent writers of it conflict. */
    void put(byte[] key, byte[] value) {
        write(key, value, reader.get(key), true);
    }

    /** Removes a row, if it exists; concurrent writers of it conflict. */
    void remove(byte[] key) {
        Row prior = reader.get(key);
        if (prior != null) {
            write(key, null, prior, true);
        }
    }

    /**
     * @param prior the row as the reader has it
     * @param guard whether concurrent writers conflict on the row; otherwise it is a function of
     *     guarded rows
     */
    void write(byte[] key, byte @Nullable [] value, @Nullable Row prior, boolean guard) {
        Bytes name = Bytes.of(key);
        writes.put(name, new RowWrite(key, value, prior));
        if (guard) {
            guarded.put(name, key);
        }
    }

    boolean isEmpty() {
        return writes.isEmpty();
    }

    CommitRequest request() {
        List<byte[]> read = new ArrayList<>();
        required.forEach(
                (name, key) -> {
                    if (!guarded.containsKey(name)) {
                        read.add(key);
                    }
                });
        return new CommitRequest(
                reader.version(),
                read,
                List.of(),
                List.copyOf(guarded.values()),
                List.copyOf(writes.values()));
    }
}
