package petrichor.tables;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.TransactionOptions;

/**
 * The tables of one database: transactions, the catalog, and numbers of sequences. Thread-safe.
 * Does not close the database.
 */
public final class TableStore {
    /** Keys and values that one transaction may write. */
    public static final long TRANSACTION_BYTES_MAX = 48L << 20;

    /** Rows of a dropped table that one transaction removes. */
    private static final int PURGE_ROWS = 1_000;

    private static final int PURGE_ATTEMPTS_MAX = 20;

    /** The sequence of the ids of sequences: below ids of tables, which number their rows. */
    private static final long SEQUENCE_IDS = 1;

    /** Above ids of tables, and below ids that older versions took from the database. */
    private static final SequenceOptions NEW_SEQUENCES =
            new SequenceOptions(1L << 40, 1, 1L << 40, (1L << 50) - 1, false);

    private final Database database;
    private final Sequences sequences;
    private final AtomicReference<Known> newest =
            new AtomicReference<>(new Known(0, CatalogImage.EMPTY));

    /**
     * @param commit that wrote it. The version inside the image is not enough: a replica receives
     *     the catalogs of another database, which count on their own
     */
    private record Known(long commit, CatalogImage image) {}

    private TableStore(Database database) {
        this.database = database;
        this.sequences = new Sequences(database, TRANSACTION_BYTES_MAX);
    }

    public static TableStore open(Database database) {
        return new TableStore(database);
    }

    public Database database() {
        return database;
    }

    /** Serializable, for reads and writes. */
    public TableTransaction begin() {
        return TableTransaction.of(
                database.begin(new TransactionOptions.Optimistic(null)), TRANSACTION_BYTES_MAX);
    }

    /** Retries a transaction that lost a conflict, with precedence over those that began later. */
    public TableTransaction retry(TableTransaction lost) {
        return TableTransaction.of(
                database.begin(new TransactionOptions.Optimistic(lost.id())),
                TRANSACTION_BYTES_MAX);
    }

    /** Read-only, at the newest version. */
    public TableTransaction snapshot() {
        return TableTransaction.of(database.snapshot());
    }

    /**
     * @param version microseconds since 1970; INVALID_ARGUMENT if it is older than the history
     */
    public TableTransaction snapshotAt(long version) {
        return TableTransaction.of(database.snapshotAt(version));
    }

    /**
     * The catalog as the transaction sees it, without its own changes. The commit fails if the
     * catalog has changed more than once by then, or in a way that this transaction must not miss.
     */
    public CatalogImage catalog(TableTransaction transaction) {
        Row stored = transaction.readCatalogVersion();
        if (stored == null) {
            return CatalogImage.EMPTY;
        }
        Known known = newest.get();
        if (known.commit() == stored.version()) {
            return known.image();
        }
        ValueReader in = new ValueReader(stored.value());
        long version = in.takeNumber();
        int nextId = in.takeInt();
        Map<Integer, CatalogObject> objects = new TreeMap<>();
        KeyRange range = KeyRange.ofPrefix(TableKeys.objects());
        boolean validated = transaction.validateScans(false);
        TableTransaction.Batches batches = transaction.scan(range, Direction.FORWARD, 0);
        boolean _ = transaction.validateScans(validated);
        List<TableTransaction.Found> found = batches.next();
        while (!found.isEmpty()) {
            for (TableTransaction.Found row : found) {
                int id = TableKeys.objectId(row.key());
                objects.put(id, CatalogCodec.decode(id, row.value()));
            }
            found = batches.next();
        }
        CatalogImage image = new CatalogImage(version, nextId, objects);
        Known read = new Known(stored.version(), image);
        Known last = newest.updateAndGet(old -> old.commit() < read.commit() ? read : old);
        return last.commit() == read.commit() ? last.image() : image;
    }

    /** Whether this is the image of the newest catalog that was read. */
    @SuppressWarnings("ReferenceEquality") // each catalog that was read has one image
    public boolean isNewest(CatalogImage image) {
        return newest.get().image() == image;
    }

    /**
     * Writes a changed catalog. Objects that are equal to one of the previous catalog keep its id.
     * Rows of tables and indexes that are no longer in it are removed by {@link #purge} after the
     * commit.
     *
     * @param nextId the next unused id
     * @param objects their ids are ignored
     * @param constraintsHold whether open transactions satisfy all check constraints and foreign
     *     keys of the changed catalog; if so, they commit, unless a change of the tables ends them
     */
    public CatalogImage change(
            TableTransaction transaction,
            CatalogImage previous,
            int nextId,
            Collection<CatalogObject> objects,
            boolean constraintsHold) {
        Map<Integer, CatalogObject> rest = new TreeMap<>(previous.objects());
        Map<Integer, CatalogObject> changed = new TreeMap<>();
        int unused = nextId;
        for (CatalogObject object : objects) {
            CatalogObject same = null;
            for (CatalogObject old : rest.values()) {
                if (old.sameAs(object)) {
                    same = old;
                    break;
                }
            }
            if (same != null) {
                rest.remove(same.id());
                changed.put(same.id(), same);
            } else {
                int id = unused++;
                CatalogObject added =
                        new CatalogObject(
                                id,
                                object.order(),
                                object.definition(),
                                object.sequence(),
                                object.table());
                changed.put(id, added);
                transaction.write(TableKeys.object(id), CatalogCodec.encode(added));
            }
        }
        if (rest.isEmpty() && changed.size() == previous.objects().size()) {
            return previous;
        }
        for (int id : rest.keySet()) {
            transaction.write(TableKeys.object(id), null);
        }
        CatalogImage image = new CatalogImage(previous.version() + 1, unused, changed);
        writeDropped(transaction, previous, image);
        byte[] version = new ValueWriter(12).putNumber(image.version()).putNumber(unused).toBytes();
        transaction.write(TableKeys.version(), version);
        transaction.write(TableKeys.live(image.version()), version);
        if (!constraintsHold || !CatalogChange.coexist(previous, image)) {
            transaction.write(TableKeys.live(previous.version()), version);
        }
        return image;
    }

    private static void writeDropped(
            TableTransaction transaction, CatalogImage previous, CatalogImage image) {
        Map<Integer, StoredTable> remaining = new TreeMap<>();
        for (StoredTable table : image.tables()) {
            remaining.put(table.id(), table);
        }
        for (StoredTable table : previous.tables()) {
            StoredTable now = remaining.get(table.id());
            if (now == null) {
                byte[] prefix = TableKeys.table(table.id());
                transaction.write(TableKeys.dropped(prefix), new byte[0]);
                continue;
            }
            for (StoredIndex index : table.indexes()) {
                if (now.index(index.id()) == null) {
                    byte[] prefix = TableKeys.of(table.id(), index.id()).toBytes();
                    transaction.write(TableKeys.dropped(prefix), new byte[0]);
                }
            }
        }
    }

    /** Moves an index to another state of its build; the catalog must contain it. */
    CatalogImage move(
            TableTransaction transaction,
            CatalogImage previous,
            StoredTable table,
            StoredIndex index,
            StoredIndex.State state) {
        List<CatalogObject> objects = new ArrayList<>();
        for (CatalogObject object : previous.objects().values()) {
            StoredTable stored = object.table();
            objects.add(
                    stored == null || stored.id() != table.id()
                            ? object
                            : object.with(stored.withIndexState(index.id(), state)));
        }
        return change(transaction, previous, previous.nextId(), objects, true);
    }

    /** Removes the rows of dropped tables and indexes, in transactions of limited size. */
    public void purge() {
        List<byte[]> markers = new ArrayList<>();
        byte[] prefix = TableKeys.dropped();
        try (TableTransaction snapshot = snapshot()) {
            TableTransaction.Batches batches =
                    snapshot.scan(KeyRange.ofPrefix(prefix), Direction.FORWARD, 0);
            List<TableTransaction.Found> found = batches.next();
            while (!found.isEmpty()) {
                found.forEach(row -> markers.add(row.key()));
                found = batches.next();
            }
        }
        for (byte[] marker : markers) {
            byte[] dropped = java.util.Arrays.copyOfRange(marker, prefix.length, marker.length);
            KeyRange left = KeyRange.ofPrefix(dropped);
            while (left != null) {
                left = purgeSome(marker, left);
            }
        }
    }

    /** Returns what is left: a scan from the beginning would pass all that were removed. */
    private @Nullable KeyRange purgeSome(byte[] marker, KeyRange range) {
        for (int attempt = 1; ; attempt++) {
            try (TableTransaction transaction = begin()) {
                int removed = 0;
                byte[] last = range.from();
                TableTransaction.Batches batches =
                        transaction.scan(range, Direction.FORWARD, transaction.mark());
                List<TableTransaction.Found> found = batches.next();
                while (!found.isEmpty() && removed < PURGE_ROWS) {
                    for (TableTransaction.Found row : found) {
                        transaction.write(row.key(), null);
                        last = row.key();
                        removed++;
                    }
                    found = batches.next();
                }
                boolean more = !found.isEmpty();
                if (!more) {
                    transaction.write(marker, null);
                }
                transaction.commit();
                return more ? new KeyRange(Bytes.successor(last), range.to()) : null;
            } catch (PetrichorException failed) {
                if (failed.code() != ErrorCode.ABORTED || attempt == PURGE_ATTEMPTS_MAX) {
                    throw failed;
                }
            }
        }
    }

    /**
     * Numbers of a sequence, at most {@code most}, which are used up even if the transaction rolls
     * back. FAILED_PRECONDITION if the sequence has reached its limit.
     */
    public NumberBlock numbers(long sequence, SequenceOptions options, int most) {
        return sequences.allocate(sequence, options, most);
    }

    /** Identifies the state of a new sequence, on every server. */
    public long newSequence() {
        return sequences.next(SEQUENCE_IDS, NEW_SEQUENCES);
    }

    /** The first number of rows that are inserted together. */
    long nextRowNumbers(StoredTable table, int count) {
        return sequences.next(table.id(), SequenceOptions.ROW_NUMBERS, count);
    }

    /** Access to the rows of a table in a transaction. */
    public TableAccess access(TableTransaction transaction, TableFormat format) {
        return new TableAccess(this, transaction, format);
    }
}
