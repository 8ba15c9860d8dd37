package petrichor.kv.rocksdb;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.StoreFailures;
import petrichor.kv.StoreLimits;
import petrichor.kv.StoreView;
import petrichor.kv.WriteBatch;

/**
 * The embedded store, in a local folder.
 *
 * <p>Thread-safe; but writes that wait for the disk should come from platform threads, since a
 * native call pins a virtual thread's carrier, and with few carriers few writes share a sync.
 *
 * <p>The first write that the disk refuses (full, or a failed sync) is the last one attempted: that
 * durable step returns {@code UNKNOWN}, every later one is refused with {@code UNAVAILABLE}, reads
 * continue, and a restart determines what is on the disk. A folder that another process has open is
 * refused with {@code FAILED_PRECONDITION}, a damaged one with {@code INTERNAL}.
 */
public final class RocksStore implements KeyValueStore {
    /** Ample for keys of entities and composite indexes. */
    public static final int KEY_BYTES_MAX = 1 << 20;

    public static final int VALUE_BYTES_MAX = 64 << 20;

    /** RocksDB counts the bytes of a batch with 32 bits. */
    static final StoreLimits LIMITS = new StoreLimits(KEY_BYTES_MAX, VALUE_BYTES_MAX, 1L << 30);

    private static final Capabilities CAPABILITIES = new Capabilities(true, LIMITS);

    private final RocksFolder folder;
    private final RocksView newest;
    private final RocksWrites writes;
    private final RocksFences fences;

    private RocksStore(RocksFolder folder) {
        this.folder = folder;
        this.newest = folder.newest();
        this.writes = new RocksWrites(folder, CAPABILITIES);
        this.fences = new RocksFences(folder, writes);
    }

    /** Opens the folder, creating it if necessary. */
    public static RocksStore open(Path path, RocksOptions options) {
        NativeLibrary.load();
        return new RocksStore(RocksFolder.open(path, options));
    }

    /** The format version of a data folder; refuses it like {@link #open}. */
    public static int format(Path path) {
        return DataFormat.require(path);
    }

    public static RocksStore open(Path path) {
        return open(path, RocksOptions.DEFAULT);
    }

    @Override
    public Capabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Optional<String> problem() {
        return Optional.ofNullable(metrics().writesRefused());
    }

    /** After the process ran out of file handles, once handles are available. */
    @Override
    public boolean reopeningHelps() {
        return folder.reopeningHelps();
    }

    public RocksMetrics metrics() {
        return folder.metrics();
    }

    @Override
    public Set<String> tables() {
        return folder.tables();
    }

    @Override
    public void createTable(String table) {
        StoreFailures.requireTableName(table);
        folder.createTable(table);
    }

    @Override
    public void dropTable(String table) {
        folder.dropTable(table);
    }

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        return newest.get(table, key);
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        return newest.get(table, keys);
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        return newest.scan(table, range, direction, limit);
    }

    @Override
    public void write(WriteBatch batch) {
        PetrichorException failure = writes.attempt(batch);
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public DurableStep durableStep() {
        return fences;
    }

    @Override
    public StoreView view() {
        return folder.view();
    }

    @Override
    public void close() {
        folder.close();
    }
}
