package petrichor.movement.backups;

import com.google.datastore.v1.Entity;
import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;
import petrichor.entities.EntityDatabases;
import petrichor.entities.EntityRow;
import petrichor.entities.KeyText;
import petrichor.entities.RowLayout;
import petrichor.kv.KeyRange;
import petrichor.movement.KeyRewriting;
import petrichor.movement.Progress;
import petrichor.rpc.v1.DeclareIndexes;
import petrichor.rpc.v1.DescribeRows;
import petrichor.rpc.v1.RowsRequest;
import petrichor.rpc.v1.RowsResponse;
import petrichor.rpc.v1.StoreRows;
import petrichor.tables.StoredTables;

/**
 * Makes a database, or a part of it, equal to a backup as of one version: compares both in key
 * order, and writes only what differs. What the backup does not contain is deleted; only numbers of
 * sequences do not go back. A restore that ends early can be repeated. Confined to one thread.
 */
public final class Restore {
    private static final int BATCH_ROWS_MAX = 500;
    private static final int BATCH_BYTES_MAX = 1 << 20;
    private static final int BATCHES_IN_FLIGHT_MAX = 8;
    private static final int PAGE_BYTES = 1 << 20;
    private static final int EXAMPLES_MAX = 20;
    private static final int HEADER_BYTES = 8;

    /**
     * What to restore.
     *
     * @param version in microseconds since 1970
     * @param target the database to change; it is created if it does not exist
     */
    public record Plan(long version, BackupFilter filter, DatabaseName target) {}

    /**
     * The difference between a database and a backup.
     *
     * @param examples the first changes, readable
     */
    public record Difference(
            long added, long changed, long deleted, long unchanged, List<String> examples) {
        public Difference {
            examples = List.copyOf(examples);
        }

        public boolean none() {
            return added + changed + deleted == 0;
        }
    }

    private final RowsOwner owner;
    private final BackupSets sets;
    private final Plan plan;
    private final Progress progress;
    private final @Nullable KeyRewriting rewriting;
    private final List<String> examples = new ArrayList<>();
    private long added;
    private long changed;
    private long deleted;
    private long unchanged;

    public Restore(RowsOwner owner, BackupSets sets, Plan plan, Progress progress) {
        this.owner = owner;
        this.sets = sets;
        this.plan = plan;
        this.progress = progress;
        this.rewriting =
                plan.target().equals(sets.database())
                        ? null
                        : new KeyRewriting(plan.target(), null);
    }

    /** What {@link #apply} would change. Writes nothing. */
    public Difference preview() {
        return run(null);
    }

    /** Restores, and creates missing composite indexes. */
    public Difference apply() {
        try (Batches batches = new Batches()) {
            Difference difference = run(batches);
            batches.end();
            return difference;
        }
    }

    private Difference run(@Nullable Batches batches) {
        BackupSets.Found found = sets.find();
        found.requireSound();
        try (BackupState state = new BackupState(sets, found, plan.version(), plan.filter())) {
            Current current = new Current(plan.filter(), state.ranges());
            if (batches != null) {
                declare(state.newest());
            }
            compare(state, current, batches);
        }
        return new Difference(added, changed, deleted, unchanged, examples);
    }

    private RowsRequest.Builder request() {
        return RowsRequest.newBuilder()
                .setDatabase(
                        EntityDatabases.name(plan.target().project(), plan.target().database()));
    }

    private void declare(Manifest manifest) {
        Manifest.Contents contents = manifest.contents();
        var _ =
                owner.ask(
                        request()
                                .setDeclare(
                                        DeclareIndexes.newBuilder()
                                                .setDeclared(contents.declared())
                                                .setAutomatic(contents.automatic()))
                                .build());
    }

    private void compare(BackupState state, Current current, @Nullable Batches batches) {
        BackupRow wanted = state.next();
        BackupRow present = current.next();
        while (wanted != null || present != null) {
            int order =
                    wanted == null
                            ? 1
                            : present == null ? -1 : Bytes.compare(wanted.key(), present.key());
            compare(order <= 0 ? wanted : null, order >= 0 ? present : null, batches);
            wanted = order <= 0 ? state.next() : wanted;
            present = order >= 0 ? current.next() : present;
        }
    }

    /** Two rows with the same key, of which one may be missing. */
    private void compare(
            @Nullable BackupRow wanted, @Nullable BackupRow present, @Nullable Batches batches) {
        if (wanted == null) {
            BackupRow gone = Objects.requireNonNull(present);
            if (isKept(gone, null)) {
                unchanged++;
            } else {
                deleted++;
                change("delete", gone, new BackupRow(gone.key(), 0, null), batches);
            }
            return;
        }
        if (present == null) {
            added++;
            change("add", wanted, wanted, batches);
            return;
        }
        BackupRow row = rewritten(wanted);
        if (StoredTables.contains(row.key())
                ? isKept(present, row.value())
                : sameEntity(row, present)) {
            unchanged++;
        } else {
            changed++;
            change("change", wanted, wanted, batches);
        }
    }

    /** Whether a restore leaves a row of a table as it is. */
    private static boolean isKept(BackupRow present, byte @Nullable [] wanted) {
        return StoredTables.contains(present.key())
                && Arrays.equals(
                        present.value(),
                        StoredTables.restored(present.key(), present.value(), wanted));
    }

    private BackupRow rewritten(BackupRow row) {
        byte[] value = row.value();
        if (rewriting == null || value == null || StoredTables.contains(row.key())) {
            return row;
        }
        Entity entity = rewriting.rewrite(EntityRow.entity(value));
        byte[] encoded = entity.toByteArray();
        byte[] moved =
                ByteBuffer.allocate(HEADER_BYTES + encoded.length)
                        .put(value, 0, HEADER_BYTES)
                        .put(encoded)
                        .array();
        return new BackupRow(row.key(), row.version(), moved);
    }

    /** Whether both have the same content, whenever they were created. */
    private static boolean sameEntity(BackupRow left, BackupRow right) {
        byte[] one = left.value();
        byte[] other = right.value();
        return one != null
                && other != null
                && (Arrays.equals(one, HEADER_BYTES, one.length, other, HEADER_BYTES, other.length)
                        || EntityRow.entity(one).equals(EntityRow.entity(other)));
    }

    private void change(
            String what, BackupRow named, BackupRow written, @Nullable Batches batches) {
        if (examples.size() < EXAMPLES_MAX) {
            examples.add(what + " " + text(named.key()));
        }
        if (batches != null) {
            batches.add(written);
        }
        progress.moved(added + changed + deleted + unchanged, 0, -1);
    }

    private String text(byte[] key) {
        return StoredTables.contains(key)
                ? "row of a table: " + HexFormat.of().formatHex(key)
                : KeyText.of(
                        RowLayout.entityKey(
                                plan.target().project(), plan.target().database(), key));
    }

    /** The selected rows of the target when the restore started, in key order. */
    private final class Current {
        private final BackupFilter filter;
        private final Iterator<BackupRun.RowsPages> parts;
        private BackupRun.@Nullable RowsPages pages;
        private Iterator<BackupRow> page = List.<BackupRow>of().iterator();

        Current(BackupFilter filter, List<KeyRange> ranges) {
            this.filter = filter;
            this.parts = open(ranges).iterator();
        }

        private List<BackupRun.RowsPages> open(List<KeyRange> ranges) {
            try {
                long version =
                        owner.ask(request().setDescribe(DescribeRows.getDefaultInstance()).build())
                                .getVersion();
                return version == 0
                        ? List.of()
                        : ranges.stream().map(range -> pages(range, version)).toList();
            } catch (PetrichorException missing) {
                if (missing.code() != ErrorCode.NOT_FOUND) {
                    throw missing;
                }
                return List.of();
            }
        }

        private BackupRun.RowsPages pages(KeyRange range, long version) {
            return new BackupRun.RowsPages(owner, request().build(), version, range, PAGE_BYTES);
        }

        @Nullable BackupRow next() {
            while (true) {
                while (page.hasNext()) {
                    BackupRow row = page.next();
                    if (filter.selects(row.key())) {
                        return row;
                    }
                }
                RowsResponse more = pages == null ? null : pages.next();
                if (more != null) {
                    page =
                            RowBlock.decode(ByteBuffer.wrap(more.getRows().toByteArray()))
                                    .iterator();
                } else if (parts.hasNext()) {
                    pages = parts.next();
                } else {
                    return null;
                }
            }
        }
    }

    /**
     * Rows of the backup on their way to the owner, several batches at a time; each key occurs
     * once. The senders rewrite them, in parallel.
     */
    private final class Batches implements AutoCloseable {
        private final ExecutorService senders = Executors.newVirtualThreadPerTaskExecutor();
        private final Semaphore free = new Semaphore(BATCHES_IN_FLIGHT_MAX);
        private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
        private List<BackupRow> batch = new ArrayList<>();
        private int bytes;
        private boolean batchHasCatalog;

        void add(BackupRow row) {
            // The catalog of tables is in one batch, however large: its rows depend on each other.
            boolean catalog = StoredTables.isCatalog(row.key());
            boolean full = batch.size() >= BATCH_ROWS_MAX || bytes >= BATCH_BYTES_MAX;
            if (!batch.isEmpty() && ((full && !catalog) || catalog != batchHasCatalog)) {
                send();
            }
            batchHasCatalog = catalog;
            batch.add(row);
            bytes += row.bytes();
        }

        private void send() {
            List<BackupRow> rows = batch;
            batch = new ArrayList<>();
            bytes = 0;
            free.acquireUninterruptibly();
            requireNoFailure();
            senders.execute(
                    () -> {
                        try {
                            store(rows);
                        } catch (RuntimeException failed) {
                            failure.compareAndSet(null, failed);
                        } finally {
                            free.release();
                        }
                    });
        }

        private void store(List<BackupRow> rows) {
            List<BackupRow> moved = rows.stream().map(Restore.this::rewritten).toList();
            ByteString block = ByteString.copyFrom(RowBlock.encode(moved));
            var _ = owner.ask(request().setStore(StoreRows.newBuilder().setRows(block)).build());
        }

        private void requireNoFailure() {
            RuntimeException failed = failure.get();
            if (failed != null) {
                throw failed;
            }
        }

        void end() {
            if (!batch.isEmpty()) {
                send();
            }
            free.acquireUninterruptibly(BATCHES_IN_FLIGHT_MAX);
            requireNoFailure();
        }

        @Override
        public void close() {
            senders.close();
        }
    }
}
