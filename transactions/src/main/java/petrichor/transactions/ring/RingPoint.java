package petrichor.transactions.ring;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.TimeSource;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.transactions.log.CommitPoint;
import petrichor.transactions.log.CommitPoints;
import petrichor.transactions.log.LogCommitPoint;
import petrichor.transactions.log.StepMemory;
import petrichor.transactions.migration.MigrationStores;
import petrichor.transactions.rows.RowSource;
import petrichor.transactions.rows.TableLayout;

/**
 * The commit point of a database with a ring: a log in the home, which is applied to the stores of
 * the ring. Also copies and compares rows between two stores, while no step is applied: then both
 * are as of the same version, so a copied row is never older than one that is already there.
 */
public final class RingPoint implements CommitPoint {
    /**
     * A page of rows of one table.
     *
     * @param next where the next page begins; null after the last one
     */
    record Page(byte @Nullable [] next, long rows, long bytes) {}

    private static final int PAGE_ROWS_MAX = 500;
    private static final long PAGE_BYTES_MAX = 256L << 10;

    private final MigrationStores stores;
    private final TableLayout layout;
    private final RingLoad load = new RingLoad();
    private final RingApplication application;
    private final LogCommitPoint log;
    private final RecentLatencies latencies = new RecentLatencies();
    private final TimeSource time;

    /**
     * @param home has the log
     */
    public RingPoint(
            MigrationStores stores,
            CommitPoints home,
            TableLayout layout,
            TimeSource time,
            BooleanSupplier alone) {
        this.time = time;
        this.stores = stores;
        this.layout = layout;
        this.application = new RingApplication(stores, layout, load);
        this.log =
                home.log(
                        layout,
                        alone,
                        application,
                        new RingReads(
                                stores,
                                layout,
                                application,
                                load,
                                new RingReads.Timing(time, latencies)));
    }

    RingMap map() {
        return application.map();
    }

    RingLoad load() {
        return load;
    }

    /** How long 99 % of recent commits and reads took at most, in nanoseconds; 0 if unknown. */
    long p99Nanos() {
        return latencies.p99(time.monotonicNanos());
    }

    /** FAILED_PRECONDITION or NOT_FOUND if a store cannot be a member. */
    void requireMember(String store) {
        var _ = application.target(store);
    }

    /** UNAVAILABLE if the last steps could not be applied, or a member cannot be read now. */
    void requireApplying() {
        var _ = log.betweenPieces(applied -> applied);
        for (RingMap.Member member : map().members()) {
            var _ = stores.store(member.store()).get(TableLayout.META, layout.appliedKey());
        }
    }

    /** Copies rows as they are in both stores at one version. */
    Page copy(String from, String to, String table, KeyRange range) {
        Page[] page = new Page[1];
        return log.betweenPieces(
                applied -> {
                    application
                            .target(to)
                            .copy(
                                    applied,
                                    () -> {
                                        WriteBatch rows = new WriteBatch();
                                        page[0] = read(from, table, range, rows);
                                        return rows.isEmpty() ? null : rows;
                                    });
                    return page[0];
                });
    }

    private Page read(String store, String table, KeyRange range, WriteBatch rows) {
        byte[] next = range.from();
        int read = 0;
        try (Scan scan = stores.store(store).scan(table, range, Direction.FORWARD, PAGE_ROWS_MAX)) {
            while (rows.bytes() < PAGE_BYTES_MAX && scan.next()) {
                read++;
                next = Bytes.successor(scan.key());
                rows.put(table, scan.key(), scan.value());
            }
        }
        boolean ended = read < PAGE_ROWS_MAX && rows.bytes() < PAGE_BYTES_MAX;
        return new Page(ended ? null : next, read, rows.bytes());
    }

    /** A page of rows that both stores have with equal digests; null if they differ. */
    @Nullable Page compare(String from, String to, String table, KeyRange range) {
        return log.betweenPieces(
                _ -> {
                    WriteBatch rows = new WriteBatch();
                    Page page = read(from, table, range, rows);
                    byte[] next = page.next;
                    KeyRange same = next == null ? range : new KeyRange(range.from(), next);
                    return digest(rows).equals(digest(to, table, same)) ? page : null;
                });
    }

    private static String digest(WriteBatch rows) {
        MessageDigest digest = sha256();
        for (WriteBatch.Op row : rows.ops()) {
            if (row instanceof WriteBatch.Put put) {
                add(digest, put.key());
                add(digest, put.value());
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private String digest(String store, String table, KeyRange range) {
        MessageDigest digest = sha256();
        try (Scan scan =
                stores.store(store).scan(table, range, Direction.FORWARD, Integer.MAX_VALUE)) {
            while (scan.next()) {
                add(digest, scan.key());
                add(digest, scan.value());
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static void add(MessageDigest digest, byte[] bytes) {
        byte[] length = new byte[Long.BYTES];
        TableLayout.putLong(length, 0, bytes.length);
        digest.update(length);
        digest.update(bytes);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Receives the size of a row. */
    interface Sizes {
        void row(byte[] key, long bytes);
    }

    /** The sizes of a page of rows; the key at which the next page begins, null after the last. */
    byte @Nullable [] measure(String store, KeyRange keys, Sizes sizes) {
        int read = 0;
        byte[] last = {};
        try (Scan scan =
                stores.store(store)
                        .scan(
                                TableLayout.ROWS,
                                layout.rowRange(keys),
                                Direction.FORWARD,
                                PAGE_ROWS_MAX)) {
            while (scan.next()) {
                read++;
                byte[] stored = scan.key();
                last = TableLayout.keyOfRow(stored);
                sizes.row(last, (long) stored.length + scan.value().length);
            }
        }
        return read < PAGE_ROWS_MAX ? null : Bytes.successor(last);
    }

    /** A page of the rows of a table that one store has. */
    Page look(String store, String table, KeyRange range) {
        return read(store, table, range, new WriteBatch());
    }

    /** The hours of the first and the last history in a store; null if it has none. */
    int @Nullable [] hours(String store) {
        byte[] first = end(store, Direction.FORWARD);
        byte[] last = end(store, Direction.REVERSE);
        return first == null || last == null
                ? null
                : new int[] {TableLayout.hourOfHistory(first), TableLayout.hourOfHistory(last)};
    }

    private byte @Nullable [] end(String store, Direction direction) {
        try (Scan scan =
                stores.store(store).scan(TableLayout.HISTORY, layout.allHistory(), direction, 1)) {
            return scan.next() ? scan.key() : null;
        }
    }

    // ---- the commit point

    @Override
    public Taken take() {
        return log.take();
    }

    @Override
    public void awaitCapacity(StepMemory step) {
        log.awaitCapacity(step);
    }

    @Override
    public boolean fillsBatch(long rows, long bytes) {
        return log.fillsBatch(rows, bytes);
    }

    @Override
    public DurableStep.Outcome commit(WriteBatch batch, long version, StepMemory memory) {
        long began = time.monotonicNanos();
        DurableStep.Outcome outcome = log.commit(batch, version, memory);
        latencies.add(time.monotonicNanos() - began, began);
        return outcome;
    }

    @Override
    public RowSource live() {
        return log.live();
    }

    @Override
    public RowSource frozen() {
        return log.frozen();
    }

    @Override
    public void awaitApplied(long version) {
        log.awaitApplied(version);
    }

    @Override
    public void close() {
        log.close();
    }
}
