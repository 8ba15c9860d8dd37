package petrichor.transactions;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;

/**
 * The databases of one store, told apart by a number before each row. Safe for any thread. Does not
 * close the store.
 */
public final class RowDatabases implements Databases {
    /** A name's length in UTF-8. */
    static final int NAME_BYTES_MAX = 1_000;

    private static final byte[] CATALOGUE = "databases".getBytes(StandardCharsets.UTF_8);
    private static final byte[] LAST_NUMBER = {'c'};

    private final KeyValueStore store;
    private final TransactionLimits limits;
    private final TimeSource time;
    private final RandomGenerator chance;

    /** Read without a lock, by every request; changed under this object's lock. */
    private final Map<String, RowDatabase> open = new ConcurrentHashMap<>();

    private final Housekeeping housekeeping;
    private boolean closed;

    public RowDatabases(KeyValueStore store) {
        this(store, TransactionLimits.DEFAULT, TimeSource.SYSTEM, new java.security.SecureRandom());
    }

    /**
     * @param chance gives the salts that keep transaction ids of other databases apart
     */
    public RowDatabases(
            KeyValueStore store,
            TransactionLimits limits,
            TimeSource time,
            RandomGenerator chance) {
        this.store = store;
        this.limits = limits;
        this.time = time;
        this.chance = chance;
        store.createTable(RowLayout.META);
        store.createTable(RowLayout.ROWS);
        store.createTable(RowLayout.HISTORY);
        this.housekeeping = Housekeeping.start(this::tidy);
    }

    @Override
    public RowDatabase open(String name) {
        RowDatabase known = open.get(name);
        return known != null && !known.closed() ? known : openAnew(name);
    }

    private synchronized RowDatabase openAnew(String name) {
        requireOpen();
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > NAME_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "A database's name has 1 to " + NAME_BYTES_MAX + " bytes, not " + bytes + ".");
        }
        RowDatabase database = open.get(name);
        if (database != null && !database.closed()) {
            return database;
        }
        if (database != null) {
            // Somebody else took it over; whoever opens it here again takes it back.
            database.close();
        }
        byte[] entry = store.get(RowLayout.META, RowLayout.nameKey(name));
        if (entry == null) {
            entry = create(name);
        }
        ByteBuffer numbers = ByteBuffer.wrap(entry);
        database = new RowDatabase(name, numbers.getInt(), numbers.getLong(), store, limits, time);
        open.put(name, database);
        return database;
    }

    private byte[] create(String name) {
        // Another server may create one at the same time: its fence shuts ours out, and we look
        // again.
        while (true) {
            byte[] domain = CATALOGUE;
            DurableStep.AtomicBatch step = atomicStep();
            long fence = step.takeFence(domain);
            byte[] present = store.get(RowLayout.META, RowLayout.nameKey(name));
            if (present != null) {
                return present;
            }
            byte[] last = store.get(RowLayout.META, LAST_NUMBER);
            int number = last == null ? 1 : ByteBuffer.wrap(last).getInt() + 1;
            byte[] entry =
                    ByteBuffer.allocate(Integer.BYTES + Long.BYTES)
                            .putInt(number)
                            .putLong(chance.nextLong())
                            .array();
            WriteBatch batch =
                    new WriteBatch()
                            .put(
                                    RowLayout.META,
                                    LAST_NUMBER,
                                    ByteBuffer.allocate(Integer.BYTES).putInt(number).array())
                            .put(RowLayout.META, RowLayout.nameKey(name), entry);
            switch (step.commit(domain, fence, batch)) {
                case DONE -> {
                    return entry;
                }
                case FENCED -> {}
                case UNKNOWN ->
                        throw new PetrichorException(
                                ErrorCode.UNAVAILABLE,
                                "The store failed while the database was created; retry.",
                                Map.of("database", name));
            }
        }
    }

    private DurableStep.AtomicBatch atomicStep() {
        if (store.durableStep() instanceof DurableStep.AtomicBatch step) {
            return step;
        }
        // Says which stores do.
        CommitPoints.of(store, new RowLayout(0));
        throw new IllegalStateException("a commit point without an atomic batch");
    }

    @Override
    public synchronized List<String> names() {
        requireOpen();
        List<String> names = new ArrayList<>();
        try (Scan scan =
                store.scan(
                        RowLayout.META,
                        KeyRange.ofPrefix(new byte[] {'n'}),
                        Direction.FORWARD,
                        Integer.MAX_VALUE)) {
            while (scan.next()) {
                byte[] key = scan.key();
                names.add(new String(key, 1, key.length - 1, StandardCharsets.UTF_8));
            }
        }
        return names;
    }

    @Override
    public synchronized void drop(String name) {
        requireOpen();
        RowDatabase database = open.remove(name);
        if (database != null) {
            database.close();
        }
        byte[] nameKey = RowLayout.nameKey(name);
        byte[] entry = store.get(RowLayout.META, nameKey);
        if (entry == null) {
            return;
        }
        RowLayout layout = new RowLayout(ByteBuffer.wrap(entry).getInt());
        WriteBatch batch =
                new WriteBatch()
                        .delete(RowLayout.META, nameKey)
                        .deleteRange(RowLayout.META, layout.allMeta())
                        .deleteRange(RowLayout.ROWS, layout.allRows())
                        .deleteRange(RowLayout.HISTORY, layout.allHistory());
        DurableStep.AtomicBatch step = atomicStep();
        long fence = step.takeFence(layout.fenceDomain());
        if (step.commit(layout.fenceDomain(), fence, batch) != DurableStep.Outcome.DONE) {
            throw new PetrichorException(
                    ErrorCode.UNAVAILABLE,
                    "The database could not be dropped: another server uses it, or the store"
                            + " failed. Retry.",
                    Map.of("database", name));
        }
    }

    /** Those that are open in this process. */
    public synchronized List<RowDatabase> openDatabases() {
        return List.copyOf(open.values());
    }

    /** What the housekeeping thread does now and then; tests and simulations call it themselves. */
    void tidy() {
        for (RowDatabase database : openDatabases()) {
            if (!database.closed()) {
                database.tidy();
            }
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new PetrichorException(ErrorCode.UNAVAILABLE, "The server is shutting down.");
        }
    }

    @Override
    public void close() {
        housekeeping.close();
        synchronized (this) {
            closed = true;
            open.values().forEach(RowDatabase::close);
            open.clear();
        }
    }
}
