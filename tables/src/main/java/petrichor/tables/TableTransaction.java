package petrichor.tables;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.CommitResult;
import petrichor.transactions.LockResult;
import petrichor.transactions.LockStrength;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionId;

/**
 * A serializable transaction over tables: reads at one version, buffers its writes, and reads them
 * back. Confined to one thread.
 *
 * <p>Reads take a <em>mark</em>, and see the writes before it: a statement that reads at the mark
 * where it started does not see its own writes.
 */
public final class TableTransaction implements AutoCloseable {
    /** Rows of the first batch of a scan, and the factor and limit of its growth. */
    private static final int FIRST_BATCH_ROWS = 8;

    private static final int BATCH_GROWTH = 4;
    private static final int BATCH_ROWS_MAX = 1_024;

    private final RowReader reader;
    private final @Nullable Transaction transaction;
    private final long bytesMax;
    private final WriteBuffer writes = new WriteBuffer();
    private RowReader scanned;
    private boolean ended;
    private long reads;
    private long keysRead;
    private boolean catalogRead;
    private @Nullable Row catalogVersion;

    private TableTransaction(RowReader reader, @Nullable Transaction transaction, long bytesMax) {
        this.reader = reader;
        this.transaction = transaction;
        this.bytesMax = bytesMax;
        this.scanned = reader;
    }

    static TableTransaction of(Transaction transaction, long bytesMax) {
        return new TableTransaction(transaction, transaction, bytesMax);
    }

    /** Read-only. */
    static TableTransaction of(Snapshot snapshot) {
        return new TableTransaction(snapshot, null, 0);
    }

    public boolean readOnly() {
        return transaction == null || transaction.readOnly();
    }

    @Nullable TransactionId id() {
        return transaction == null ? null : transaction.id();
    }

    /** The version being read, microseconds since 1970. */
    public long version() {
        return reader.version();
    }

    /**
     * Whether the commit validates what scans that begin from now on read; true at first. Other
     * reads are always validated.
     *
     * @return the value before
     */
    public boolean validateScans(boolean validate) {
        boolean before = scanned.equals(reader);
        Transaction open = transaction;
        scanned = validate || open == null ? reader : open.unvalidated();
        return before;
    }

    /**
     * Locks a row until the transaction ends; waits for others that have locked it.
     *
     * @param waitMax zero for an attempt without a wait
     */
    public LockResult lock(byte[] key, LockStrength strength, Duration waitMax) {
        return writing().lock(key, strength, waitMax).join();
    }

    /** Whether this server keeps the locks of the transaction. */
    public boolean canLock() {
        Transaction open = transaction;
        return open != null && open.canLock();
    }

    /** Whether a commit after the version being read has written the row. */
    public boolean changedSince(byte[] key) {
        Row newest = writing().newest(key);
        return newest == null || newest.version() > version();
    }

    /** Whether this transaction has written the row. */
    public boolean wrote(byte[] key) {
        return writes.find(key) != null;
    }

    /** Whether the row exists because this transaction wrote it. */
    boolean hasWritten(byte[] key) {
        WriteBuffer.Entry entry = writes.find(key);
        return entry != null && entry.newestValue() != null;
    }

    /** Starts a group of reads, which {@link #readAgain} can forget. */
    public int startReads() {
        return writing().startReads();
    }

    /**
     * Forgets the reads of a group and of those after it, and continues at the newest version.
     *
     * @param group negative to forget nothing
     */
    public void readAgain(int group) {
        writing().readAgain(group);
        if (catalogRead && commitOf(catalogVersion) != commitOf(newestCatalogVersion())) {
            // Rows may have been written under a catalog that the statement does not know.
            throw conflict();
        }
    }

    /**
     * The version of the catalog, without this transaction's own changes: the commit validates that
     * it is still one of those in use.
     */
    @Nullable Row readCatalogVersion() {
        Row stored = newestCatalogVersion();
        Transaction open = transaction;
        if (open != null && !open.readOnly() && !catalogRead) {
            long version = stored == null ? 0 : new ValueReader(stored.value()).takeNumber();
            open.validate(TableKeys.live(version));
            catalogRead = true;
            catalogVersion = stored;
        }
        return stored;
    }

    private @Nullable Row newestCatalogVersion() {
        Transaction open = transaction;
        count(1);
        return (open == null ? reader : open.unvalidated()).get(TableKeys.version());
    }

    private static long commitOf(@Nullable Row row) {
        return row == null ? 0 : row.version();
    }

    private Transaction writing() {
        Transaction open = transaction;
        if (open == null || open.readOnly()) {
            throw PetrichorException.invalid("A read-only transaction cannot lock rows.");
        }
        return open;
    }

    /** Requests to the layer below so far: round trips, unless a cache answers. */
    public long reads() {
        return reads;
    }

    /** Keys and rows that these requests returned or asked for. */
    public long keysRead() {
        return keysRead;
    }

    private void count(int keys) {
        reads++;
        keysRead += keys;
    }

    /** The number of writes so far. */
    public int mark() {
        return writes.mark();
    }

    /** Removes all writes since the mark. */
    public void undo(int mark) {
        writes.undo(mark);
    }

    public boolean hasWrites() {
        return !writes.isEmpty();
    }

    /**
     * A row of another layer in the same database. Its version is 0 if this transaction wrote it.
     *
     * @return null if there is no such row
     */
    public @Nullable Row find(byte[] key, int mark) {
        WriteBuffer.Entry entry = writes.find(key);
        WriteBuffer.Version written = entry == null ? null : entry.before(mark);
        if (written != null) {
            byte[] value = written.value();
            return value == null ? null : new Row(key, 0, value);
        }
        return stored(key);
    }

    /** Null if there is no such row. */
    byte @Nullable [] get(byte[] key, int mark) {
        WriteBuffer.Entry entry = writes.find(key);
        WriteBuffer.Version written = entry == null ? null : entry.before(mark);
        if (written != null) {
            return written.value();
        }
        Row row = stored(key);
        return row == null ? null : row.value();
    }

    private @Nullable Row stored(byte[] key) {
        WriteBuffer.Entry entry = writes.find(key);
        if (entry != null && entry.priorKnown()) {
            return entry.prior();
        }
        count(1);
        Row row = reader.get(key);
        if (entry != null) {
            entry.prior(row);
        }
        return row;
    }

    /** One value per key, in the order of the keys, read from the store together. */
    public List<byte @Nullable []> get(List<byte[]> keys, int mark) {
        return get(reader, keys, mark);
    }

    private List<byte @Nullable []> get(RowReader from, List<byte[]> keys, int mark) {
        List<byte @Nullable []> values = new ArrayList<>(keys.size());
        List<byte[]> missing = new ArrayList<>(keys.size());
        List<Integer> places = new ArrayList<>(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            byte[] key = keys.get(i);
            WriteBuffer.Entry entry = writes.find(key);
            WriteBuffer.Version written = entry == null ? null : entry.before(mark);
            values.add(written == null ? null : written.value());
            if (written == null) {
                missing.add(key);
                places.add(i);
            }
        }
        if (!missing.isEmpty()) {
            count(missing.size());
        }
        List<@Nullable Row> rows = missing.isEmpty() ? List.of() : from.get(missing);
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            values.set(places.get(i), row == null ? null : row.value());
        }
        return values;
    }

    /** A key and its value. */
    public record Found(byte[] key, byte[] value) {}

    /** A scan that reads in growing batches and keeps nothing open between them. */
    public Batches scan(KeyRange range, Direction direction, int mark) {
        return new Batches(range, direction, mark);
    }

    /** Confined to the transaction's thread. */
    public final class Batches {
        private final Direction direction;
        private final int mark;
        private final RowReader from = scanned;
        private @Nullable KeyRange rest;
        private int limit = FIRST_BATCH_ROWS;

        private Batches(KeyRange range, Direction direction, int mark) {
            this.rest = range.isEmpty() ? null : range;
            this.direction = direction;
            this.mark = mark;
        }

        /** The next rows; empty at the end. */
        public List<Found> next() {
            List<Found> found = new ArrayList<>();
            while (found.isEmpty() && rest != null) {
                fill(found, rest);
                limit = Math.min(BATCH_ROWS_MAX, limit * BATCH_GROWTH);
            }
            return found;
        }

        /** Values of rows that found ones refer to, read as the scan reads. */
        public List<byte @Nullable []> get(List<byte[]> keys) {
            return TableTransaction.this.get(from, keys, mark);
        }

        private void fill(List<Found> found, KeyRange range) {
            if (range.isOneKey()) {
                rest = null;
                byte[] value = get(List.of(range.from())).getFirst();
                if (value != null) {
                    found.add(new Found(range.from(), value));
                }
                return;
            }
            boolean forward = direction == Direction.FORWARD;
            byte @Nullable [] last = null;
            int seen = 0;
            try (RowCursor cursor = from.scan(range, direction)) {
                WrittenRows merge = new WrittenRows(writes, range, forward, mark);
                while (seen < limit && cursor.next()) {
                    merge.before(cursor.key(), found);
                    merge.stored(cursor.key(), cursor.value(), found);
                    last = cursor.key();
                    seen++;
                }
                count(seen);
                if (seen < limit) {
                    merge.before(null, found);
                    rest = null;
                    return;
                }
            }
            rest = last == null ? null : after(range, last, forward);
        }

        private static @Nullable KeyRange after(KeyRange range, byte[] last, boolean forward) {
            KeyRange rest =
                    forward
                            ? new KeyRange(Bytes.successor(last), range.to())
                            : new KeyRange(range.from(), last);
            return rest.isEmpty() ? null : rest;
        }
    }

    /** Writes a row that does not exist, as seen by this transaction. */
    void insert(byte[] key, byte[] value) {
        boolean first = writes.find(key) == null;
        WriteBuffer.Entry entry = write(key, value);
        if (first) {
            entry.prior(null);
        }
    }

    /** Replaces or removes a row of another layer in the same database. */
    public void writeRow(byte[] key, byte @Nullable [] value) {
        WriteBuffer.Entry _ = write(key, value);
    }

    /** Replaces or removes a row. */
    WriteBuffer.Entry write(byte[] key, byte @Nullable [] value) {
        if (readOnly()) {
            throw PetrichorException.invalid("A read-only transaction cannot write.");
        }
        WriteBuffer.Entry entry = writes.write(key, value);
        if (writes.bytes() > bytesMax) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "The transaction has written more than {bytesMax} bytes; write fewer rows in"
                            + " one transaction.",
                    "bytesMax",
                    bytesMax);
        }
        return entry;
    }

    /**
     * Commits. ABORTED if a concurrent commit changed what it read or wrote; UNAVAILABLE and the
     * like if the store refused; DEADLINE_EXCEEDED if the outcome is unknown.
     *
     * @return the version of the commit
     */
    public long commit() {
        Transaction open = transaction;
        if (open == null) {
            close();
            return version();
        }
        List<RowWrite> rows = new ArrayList<>(writes.entries().size());
        List<byte[]> keys = new ArrayList<>(writes.entries().size());
        readPriors();
        for (WriteBuffer.Entry entry : writes.entries()) {
            byte[] value = entry.newestValue();
            if (value != null || entry.prior() != null) {
                rows.add(new RowWrite(entry.key, value, entry.prior()));
                keys.add(entry.key);
            }
        }
        CommitResult result;
        ended = true;
        try {
            result = open.commit(keys, rows).join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof PetrichorException reason ? reason : failed;
        }
        return switch (result) {
            case CommitResult.Committed committed -> committed.version();
            case CommitResult.Conflict _ -> throw conflict();
            case CommitResult.Refused refused -> throw refused.reason();
            case CommitResult.Unknown unknown ->
                    throw PetrichorException.of(
                            ErrorCode.DEADLINE_EXCEEDED,
                            unknown.reason(),
                            "The outcome of the commit is unknown, because the store failed while"
                                    + " it was written; read the rows to find out.");
        };
    }

    /** The replaced rows become history; those that were not read yet are read together. */
    private void readPriors() {
        List<WriteBuffer.Entry> unknown = new ArrayList<>();
        List<byte[]> keys = new ArrayList<>();
        for (WriteBuffer.Entry entry : writes.entries()) {
            if (!entry.priorKnown()) {
                unknown.add(entry);
                keys.add(entry.key);
            }
        }
        if (unknown.isEmpty()) {
            return;
        }
        List<@Nullable Row> priors = reader.get(keys);
        for (int i = 0; i < unknown.size(); i++) {
            unknown.get(i).prior(priors.get(i));
        }
    }

    static PetrichorException conflict() {
        return PetrichorException.of(
                ErrorCode.ABORTED,
                "A concurrent transaction changed rows that this one read or wrote; retry the"
                        + " transaction.");
    }

    /** Rolls back unless it has committed. */
    @Override
    public void close() {
        if (transaction != null) {
            if (ended) {
                return;
            }
            ended = true;
            try {
                transaction.rollback();
            } catch (PetrichorException expired) {
                // It has ended.
            }
        } else if (reader instanceof Snapshot snapshot) {
            snapshot.close();
        }
    }
}
