package petrichor.tables;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/**
 * The stored form of tables: rows, index entries and the catalog, for backups and restores. A
 * change feed lists all of them. Stateless; the methods block.
 */
public final class StoredTables {
    private static final int ATTEMPTS_MAX = 100;

    private StoredTables() {}

    /**
     * A stored row, index entry or part of the catalog. The arrays must not be changed.
     *
     * @param value null if it does not exist
     */
    public record Stored(byte[] key, byte @Nullable [] value) {
        // Not the compact form: its class file would lack the nullness of the value.
        public Stored(byte[] key, byte @Nullable [] value) {
            if (!contains(key)) {
                throw PetrichorException.invalid("A row to be stored is not that of a table.");
            }
            this.key = key;
            this.value = value;
        }
    }

    /** Everything that belongs to tables. */
    public static KeyRange rows() {
        return KeyRange.ofPrefix(new byte[] {(byte) TableKeys.TYPE});
    }

    /** Whether a row belongs to tables. */
    public static boolean contains(byte[] key) {
        return key.length > 0 && key[0] == TableKeys.TYPE;
    }

    /**
     * Whether the row only says which transactions may commit beside a change of the catalog: a
     * restore writes it again.
     */
    public static boolean isLive(byte[] key) {
        return TableKeys.isLive(key);
    }

    /** Whether a row belongs to the catalog, all of whose changes must be in one commit. */
    public static boolean isCatalog(byte[] key) {
        return startsWith(key, TableKeys.catalog());
    }

    /** Whether the row has the version of the catalog; its commit identifies the catalog. */
    public static boolean isCatalogVersion(byte[] key) {
        return Arrays.equals(key, TableKeys.version());
    }

    /** The id of the table that a row belongs to; 0 for the catalog. */
    public static int tableId(byte[] key) {
        return ByteBuffer.wrap(key, 1, Integer.BYTES).getInt();
    }

    /** The table that a row of the catalog defines; null if it defines something else. */
    public static @Nullable StoredTable definedBy(byte[] key, byte[] value) {
        return startsWith(key, TableKeys.objects())
                ? CatalogCodec.decode(TableKeys.objectId(key), value).table()
                : null;
    }

    private static boolean startsWith(byte[] key, byte[] prefix) {
        return key.length >= prefix.length
                && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }

    /**
     * What a restore makes of a row. The version of the catalog and the numbers of sequences never
     * go back: open sessions know the former, and have allocated the latter.
     */
    public static byte @Nullable [] restored(
            byte[] key, byte @Nullable [] present, byte @Nullable [] wanted) {
        if (present == null) {
            return wanted;
        }
        if (Arrays.equals(key, TableKeys.version()) || TableKeys.isLive(key)) {
            return present;
        }
        if (!startsWith(key, TableKeys.sequences())) {
            return wanted;
        }
        return wanted == null || nextNumber(wanted) <= nextNumber(present) ? present : wanted;
    }

    private static long nextNumber(byte[] sequence) {
        ValueReader in = new ValueReader(sequence);
        var _ = in.take();
        return in.takeSigned();
    }

    /** Writes rows of a backup in one commit; see {@link #restored}. */
    public static void write(Database database, List<Stored> rows) {
        reserveSequences(database, rows.stream().map(Stored::key).toList());
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            try (Snapshot snapshot = database.snapshot()) {
                CommitResult result = database.commit(request(snapshot, rows)).join();
                switch (result) {
                    case CommitResult.Committed _ -> {
                        return;
                    }
                    case CommitResult.Conflict _ -> {}
                    case CommitResult.Refused(PetrichorException reason) -> throw reason;
                    case CommitResult.Unknown(PetrichorException reason) -> throw reason;
                }
            } catch (CompletionException failed) {
                throw failed.getCause() instanceof PetrichorException cause ? cause : failed;
            }
        }
        throw PetrichorException.of(
                ErrorCode.ABORTED,
                "Other clients write the same tables all the time; try again later.");
    }

    /** So that a sequence created later has another id. */
    public static void reserveSequences(Database database, List<byte[]> keys) {
        byte[] prefix = TableKeys.sequences();
        for (byte[] key : keys) {
            if (startsWith(key, prefix)) {
                long id = 0;
                for (int i = prefix.length; i < key.length; i++) {
                    id = (id << Byte.SIZE) | (key[i] & 0xFF);
                }
                database.reserveIds(id);
            }
        }
    }

    /**
     * Deletes up to {@code most} rows of any kind: for a database without sessions.
     *
     * @return whether there were any
     */
    public static boolean clear(Database database, int most) {
        try (Snapshot snapshot = database.snapshot();
                RowCursor cursor = snapshot.scan(rows(), Direction.FORWARD)) {
            List<RowWrite> writes = new ArrayList<>();
            while (writes.size() < most && cursor.next()) {
                Row prior = new Row(cursor.key(), cursor.version(), cursor.value());
                writes.add(new RowWrite(prior.key(), null, prior));
            }
            List<byte[]> keys = writes.stream().map(RowWrite::key).toList();
            if (!writes.isEmpty()
                    && database.commit(
                                            new CommitRequest(
                                                    snapshot.version(),
                                                    List.of(),
                                                    List.of(),
                                                    keys,
                                                    writes))
                                    .join()
                            instanceof CommitResult.Refused(PetrichorException reason)) {
                throw reason;
            }
            return !writes.isEmpty();
        }
    }

    private static CommitRequest request(Snapshot snapshot, List<Stored> rows) {
        List<byte[]> keys = new ArrayList<>(rows.stream().map(Stored::key).toList());
        keys.add(TableKeys.live(0));
        keys.add(TableKeys.live(1));
        keys.add(TableKeys.version());
        List<@Nullable Row> priors = snapshot.get(keys);
        List<byte[]> reads = new ArrayList<>();
        List<RowWrite> writes = new ArrayList<>();
        boolean catalog = false;
        byte @Nullable [] version = null;
        for (int i = 0; i < rows.size(); i++) {
            Stored row = rows.get(i);
            catalog |= isCatalog(row.key());
            if (Arrays.equals(row.key(), TableKeys.version())) {
                version = row.value();
            } else if (!TableKeys.isLive(row.key())) {
                add(row, priors.get(i), reads, writes);
            }
        }
        Row former = priors.getLast();
        if (catalog && (former != null || version != null)) {
            byte[] next = later(former == null ? null : former.value(), version);
            writes.add(new RowWrite(TableKeys.version(), next, former));
            for (int i = 0; i < 2; i++) {
                // Every open transaction ends.
                writes.add(new RowWrite(TableKeys.live(i), next, priors.get(rows.size() + i)));
            }
        } else {
            reads.add(TableKeys.version());
        }
        List<byte[]> conflicts = writes.stream().map(RowWrite::key).toList();
        return new CommitRequest(snapshot.version(), reads, List.of(), conflicts, writes);
    }

    private static void add(
            Stored row, @Nullable Row prior, List<byte[]> reads, List<RowWrite> writes) {
        byte[] present = prior == null ? null : prior.value();
        byte[] written = restored(row.key(), present, row.value());
        if (Arrays.equals(present, written)) {
            reads.add(row.key());
        } else {
            writes.add(new RowWrite(row.key(), written, prior));
        }
    }

    /** A version of the catalog that no session knows, and an id that no object has. */
    private static byte[] later(byte @Nullable [] present, byte @Nullable [] wanted) {
        if (present == null) {
            return Objects.requireNonNull(wanted);
        }
        ValueReader in = new ValueReader(present);
        long version = in.takeNumber();
        int nextId = in.takeInt();
        if (wanted != null) {
            ValueReader other = new ValueReader(wanted);
            version = Math.max(version, other.takeNumber());
            nextId = Math.max(nextId, other.takeInt());
        }
        return new ValueWriter(12).putNumber(version + 1).putNumber(nextId).toBytes();
    }
}
