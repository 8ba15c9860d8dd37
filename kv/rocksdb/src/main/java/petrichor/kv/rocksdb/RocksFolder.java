package petrichor.kv.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreFailures;

/**
 * An open RocksDB folder and all native objects that belong to it.
 *
 * <p>Using native memory after it was freed crashes the whole process. Therefore every call holds
 * {@code structure} for reading, and freeing (closing, dropping a table) holds it for writing.
 * Scans and views are registered here and are freed when the folder is closed; their next call is
 * then refused. Lock order: structure, then a view's lock, then a scan's.
 */
final class RocksFolder implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(RocksFolder.class.getName());

    /** RocksDB requires a column family of this name; it holds the fences. */
    private static final String FENCES = "default";

    private static final String TABLE_PREFIX = "table.";

    /** An owner of native memory of this folder. */
    interface Tenant {
        /** Frees the memory; the folder is open. Idempotent. */
        void free(RocksDB db);
    }

    /** A native call. */
    interface Call<T extends @Nullable Object> {
        T run(RocksDB db) throws RocksDBException;
    }

    /** Adds changes to a native batch. */
    interface Changes {
        void fill(WriteBatch batch) throws RocksDBException;
    }

    private final Path path;
    private final NativeSettings settings;
    private final RocksDB db;
    private final ColumnFamilyHandle fences;
    private final Map<String, ColumnFamilyHandle> tables = new ConcurrentHashMap<>();
    private final StampedLock structure = new StampedLock();
    private final Set<Tenant> tenants = ConcurrentHashMap.newKeySet();
    private final WriteRefusal refusal;
    private final AcknowledgedWrites acknowledged;
    private final LongAdder writes = new LongAdder();
    private final LongAdder writtenBytes = new LongAdder();

    /** Written with structure held for writing, read with it held for reading. */
    private boolean closed;

    private RocksFolder(
            Path path,
            NativeSettings settings,
            RocksDB db,
            List<ColumnFamilyHandle> columnFamilies,
            AcknowledgedWrites acknowledged)
            throws RocksDBException {
        this.path = path;
        this.acknowledged = acknowledged;
        this.settings = settings;
        this.db = db;
        this.refusal = new WriteRefusal(path);
        this.fences = columnFamilies.getFirst();
        for (ColumnFamilyHandle table : columnFamilies.subList(1, columnFamilies.size())) {
            String name = new String(table.getName(), UTF_8);
            tables.put(name.substring(TABLE_PREFIX.length()), table);
        }
    }

    /** Opens a folder, or creates it if it contains nothing of RocksDB. */
    static RocksFolder open(Path path, RocksOptions options) {
        FolderCheck.requireWholeOrNew(path);
        int format = DataFormat.require(path);
        NativeSettings settings = new NativeSettings(options);
        RocksDB db = null;
        try {
            List<ColumnFamilyDescriptor> families = families(path, settings);
            Long recorded = FolderCheck.requireAcknowledged(path, format, settings, families);
            List<ColumnFamilyHandle> handles = new ArrayList<>();
            db = RocksDB.open(settings.database, path.toString(), families, handles);
            FolderCheck.requireAll(path, recorded, db.getLatestSequenceNumber());
            // The content of the logs is in table files now, and synced.
            AcknowledgedWrites acknowledged =
                    AcknowledgedWrites.start(path, db.getLatestSequenceNumber());
            if (format < DataFormat.CURRENT) {
                DataFormat.write(path);
            }
            return new RocksFolder(path, settings, db, handles, acknowledged);
        } catch (RocksDBException e) {
            close(db, settings);
            throw RocksFailures.opening(path, e);
        } catch (IOException e) {
            close(db, settings);
            throw RocksFailures.unusable(path, e);
        } catch (PetrichorException refused) {
            close(db, settings);
            throw refused;
        }
    }

    private static void close(@Nullable RocksDB db, NativeSettings settings) {
        if (db != null) {
            db.close();
        }
        settings.close();
    }

    private static List<ColumnFamilyDescriptor> families(Path path, NativeSettings settings)
            throws RocksDBException {
        List<ColumnFamilyDescriptor> families = new ArrayList<>();
        families.add(new ColumnFamilyDescriptor(utf8(FENCES), settings.table));
        for (String table : tablesIn(path)) {
            families.add(new ColumnFamilyDescriptor(utf8(TABLE_PREFIX + table), settings.table));
        }
        return families;
    }

    private static List<String> tablesIn(Path path) throws RocksDBException {
        if (!FolderCheck.hasData(path)) {
            return List.of();
        }
        try (Options options = new Options()) {
            return RocksDB.listColumnFamilies(options, path.toString()).stream()
                    .map(name -> new String(name, UTF_8))
                    .filter(name -> name.startsWith(TABLE_PREFIX))
                    .map(name -> name.substring(TABLE_PREFIX.length()))
                    .toList();
        }
    }

    /** Runs a native call while nothing can be freed concurrently. */
    <T extends @Nullable Object> T reading(Call<T> call) {
        long stamp = structure.readLock();
        try {
            requireOpen();
            return call.run(db);
        } catch (RocksDBException e) {
            throw RocksFailures.reading(path, e);
        } finally {
            structure.unlockRead(stamp);
        }
    }

    private void requireOpen() {
        if (closed) {
            throw StoreFailures.closed();
        }
    }

    /** A view of the newest state, which is open as long as the folder. */
    RocksView newest() {
        return reading(_ -> settle(new RocksView(this, null)));
    }

    RocksView view() {
        return reading(open -> settle(new RocksView(this, open.getSnapshot())));
    }

    /** Only within {@link #reading}. */
    <T extends Tenant> T settle(T tenant) {
        tenants.add(tenant);
        return tenant;
    }

    void release(Tenant tenant) {
        long stamp = structure.readLock();
        try {
            if (tenants.remove(tenant)) {
                tenant.free(db);
            }
        } finally {
            structure.unlockRead(stamp);
        }
    }

    /**
     * Writes all changes in one synced step. Throws if nothing was attempted; returns the failure
     * if the outcome is unknown, and null on success.
     */
    @Nullable PetrichorException attempt(Changes changes) {
        long stamp = structure.readLock();
        try (WriteBatch batch = new WriteBatch()) {
            requireOpen();
            refusal.requireWritable();
            try {
                changes.fill(batch);
            } catch (RocksDBException e) {
                throw RocksFailures.reading(path, e);
            }
            try {
                db.write(settings.write, batch);
                if (settings.write.sync()) {
                    acknowledged.note(db.getLatestSequenceNumber());
                }
            } catch (RocksDBException e) {
                return refusal.after(e);
            } catch (IOException e) {
                return refusal.after(e);
            }
            writes.increment();
            writtenBytes.add(batch.getDataSize());
            return null;
        } finally {
            structure.unlockRead(stamp);
        }
    }

    /** Only within {@link #reading} and {@link #attempt}. */
    ColumnFamilyHandle handle(String table) {
        ColumnFamilyHandle handle = tables.get(table);
        if (handle == null) {
            throw StoreFailures.noSuchTable(table);
        }
        return handle;
    }

    /** Only within {@link #reading} and {@link #attempt}. */
    byte @Nullable [] lastKey(String table) throws RocksDBException {
        try (RocksIterator rows = db.newIterator(handle(table), settings.read)) {
            rows.seekToLast();
            if (rows.isValid()) {
                return rows.key();
            }
            rows.status();
            return null;
        }
    }

    ColumnFamilyHandle fences() {
        return fences;
    }

    Path path() {
        return path;
    }

    Set<String> tables() {
        return reading(_ -> new TreeSet<>(tables.keySet()));
    }

    void createTable(String table) {
        changing(
                () -> {
                    if (!tables.containsKey(table)) {
                        tables.put(
                                table,
                                db.createColumnFamily(
                                        new ColumnFamilyDescriptor(
                                                utf8(TABLE_PREFIX + table), settings.table)));
                    }
                });
    }

    void dropTable(String table) {
        changing(
                () -> {
                    ColumnFamilyHandle handle = tables.get(table);
                    if (handle != null) {
                        // Otherwise the newest writes may be dropped with it, and would be reported
                        // as missing.
                        flush(handle);
                        db.dropColumnFamily(handle);
                        tables.remove(table);
                        handle.close();
                    }
                });
    }

    private void flush(ColumnFamilyHandle table) throws RocksDBException {
        try (FlushOptions andWait = new FlushOptions().setWaitForFlush(true)) {
            db.flush(andWait, table);
        }
    }

    private interface Change {
        void run() throws RocksDBException;
    }

    private void changing(Change change) {
        long stamp = structure.writeLock();
        try {
            requireOpen();
            refusal.requireWritable();
            change.run();
        } catch (RocksDBException e) {
            throw refusal.after(e);
        } finally {
            structure.unlockWrite(stamp);
        }
    }

    boolean reopeningHelps() {
        return refusal.passes();
    }

    RocksMetrics metrics() {
        return reading(
                open ->
                        new RocksMetrics(
                                RocksMetrics.diskBytes(path),
                                writes.sum(),
                                writtenBytes.sum(),
                                open.getAggregatedLongProperty("rocksdb.cur-size-all-mem-tables"),
                                open.getLongProperty("rocksdb.block-cache-usage"),
                                countTenants(RocksScan.class::isInstance),
                                countTenants(
                                        t -> t instanceof RocksView view && view.hasSnapshot()),
                                refusal.reason()));
    }

    private long countTenants(Predicate<Tenant> kind) {
        return tenants.stream().filter(kind).count();
    }

    private static byte[] utf8(String name) {
        return name.getBytes(UTF_8);
    }

    @Override
    public void close() {
        long stamp = structure.writeLock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            tenants.forEach(tenant -> tenant.free(db));
            tenants.clear();
            tables.values().forEach(ColumnFamilyHandle::close);
            fences.close();
            noteAll();
            acknowledged.close();
            db.close();
            settings.close();
        } finally {
            structure.unlockWrite(stamp);
        }
    }

    /** Writes without syncs are on disk from now on as well. */
    private void noteAll() {
        if (refusal.reason() == null) {
            try {
                db.syncWal();
                acknowledged.note(db.getLatestSequenceNumber());
            } catch (RocksDBException | IOException e) {
                // Writes acknowledged as durable were noted when they were written.
                LOG.log(System.Logger.Level.WARNING, "the end of the log could not be synced", e);
            }
        }
    }
}
