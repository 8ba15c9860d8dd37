package petrichor.movement.backups;

import com.google.protobuf.ByteString;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabases;
import petrichor.kv.KeyRange;
import petrichor.movement.Progress;
import petrichor.movement.backups.Manifest.Content;
import petrichor.movement.backups.Manifest.Segment;
import petrichor.rpc.v1.DescribeRows;
import petrichor.rpc.v1.HoldRowChanges;
import petrichor.rpc.v1.ReadRowChanges;
import petrichor.rpc.v1.RowsRequest;
import petrichor.rpc.v1.RowsResponse;
import petrichor.rpc.v1.ScanRows;
import petrichor.rpc.v1.SplitRows;
import petrichor.tables.StoredTables;

/**
 * Adds a set to a backup: the log since the previous set, and a snapshot if the set is full. A run
 * that ends early leaves a folder without a manifest, which is ignored. Confined to one thread.
 */
public final class BackupRun {
    private static final int BLOCK_BYTES = 1 << 20;

    /** Of each thread, so that ranges of different size keep all threads busy. */
    private static final int RANGES_PER_THREAD = 4;

    /**
     * How to back up.
     *
     * @param full takes a snapshot even if the previous set can be continued
     * @param consumer of the change feed, which keeps the log until the next backup
     * @param threads that read ranges of keys in parallel
     */
    public record Options(boolean full, String consumer, int threads) {
        public static final String CONSUMER = "backup";

        public Options {
            if (threads < 1) {
                throw PetrichorException.invalid("A backup needs at least one thread.");
            }
        }
    }

    /**
     * What was done.
     *
     * @param gap whether the log since the previous set is lost, or of another database with this
     *     name, so that the set starts a new chain
     * @param otherRows whether the database has tuples, tasks or objects, which are not in the
     *     backup
     */
    public record Result(BackupSet set, boolean gap, boolean otherRows) {}

    private final RowsOwner owner;
    private final BackupSets sets;
    private final Options options;
    private final Progress progress;
    private final AtomicLong rows = new AtomicLong();

    public BackupRun(RowsOwner owner, BackupSets sets, Options options, Progress progress) {
        this.owner = owner;
        this.sets = sets;
        this.options = options;
        this.progress = progress;
    }

    /** FAILED_PRECONDITION if the backup so far is damaged. */
    public Result run() {
        BackupSets.Found found = sets.find();
        found.requireSound();
        RowsResponse now =
                ask(
                        request()
                                .setDescribe(
                                        DescribeRows.newBuilder().setConsumer(options.consumer())));
        long version = now.getVersion();
        if (version == 0) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "The database {database} is empty; there is nothing to back up.",
                    "database",
                    sets.database());
        }
        Optional<BackupSet> last = found.last();
        // Of a database that was dropped and created again, the consumer is missing.
        boolean same = now.getConsumed();
        if (last.isPresent() && last.get().version() >= version) {
            if (!same) {
                requireSame(last.get().version(), version);
                hold(version);
            }
            return new Result(last.get(), false, now.getOtherRows());
        }
        boolean gap = last.isPresent() && (!same || last.get().version() < now.getOldest());
        boolean continued = last.isPresent() && !gap;
        if (!continued) {
            hold(version);
        }
        List<Segment> segments = new ArrayList<>();
        if (continued) {
            segments.add(log(last.get().version(), version));
        }
        if (options.full() || !continued || !hasTables(found.sets())) {
            segments.addAll(snapshot(version));
        }
        Manifest manifest =
                new Manifest(
                        sets.database(),
                        version,
                        Instant.now(),
                        continued ? last.map(BackupSet::link) : Optional.empty(),
                        Optional.ofNullable(sets.key()).map(BackupKey::id),
                        new Manifest.Contents(
                                segments, now.getDeclaredIndexes(), now.getAutomaticIndexes()));
        BackupSet added = sets.add(manifest, found.sets());
        if (continued) {
            hold(version);
        }
        return new Result(added, gap, now.getOtherRows());
    }

    /** A commit of the same microsecond is the same one: only the consumer was deleted. */
    private void requireSame(long last, long version) {
        if (last > version) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The backup has a later version of {database} than the database, which was"
                            + " created again or restored since. Back up into another folder.",
                    "database",
                    sets.database());
        }
    }

    /** Whether the newest full set has them. */
    private static boolean hasTables(List<BackupSet> sets) {
        boolean tables = false;
        for (BackupSet set : sets) {
            if (set.manifest().full()) {
                tables = set.manifest().hasTables();
            }
        }
        return tables;
    }

    private RowsRequest.Builder request() {
        return RowsRequest.newBuilder()
                .setDatabase(
                        EntityDatabases.name(
                                sets.database().project(), sets.database().database()));
    }

    private RowsResponse ask(RowsRequest.Builder request) {
        return owner.ask(request.build());
    }

    private void hold(long position) {
        var _ =
                ask(
                        request()
                                .setHold(
                                        HoldRowChanges.newBuilder()
                                                .setConsumer(options.consumer())
                                                .setPosition(position)));
    }

    private Segment log(long from, long to) {
        try (SegmentWriter writer =
                new SegmentWriter(sets.target(), sets.folder(to) + "/log.seg", sets.key())) {
            long position = from;
            boolean end = false;
            while (!end) {
                RowsResponse part =
                        ask(
                                request()
                                        .setChanges(
                                                ReadRowChanges.newBuilder()
                                                        .setPosition(position)
                                                        .setUpTo(to)
                                                        .setBytesMax(BLOCK_BYTES)));
                add(writer, part);
                position = part.getPosition();
                end = part.getEnd();
            }
            return writer.complete(Content.LOG);
        }
    }

    private void add(SegmentWriter writer, RowsResponse part) {
        if (part.getCount() > 0) {
            long before = writer.bytes();
            writer.add(part.getRows().toByteArray(), part.getCount());
            long done = rows.addAndGet(part.getCount());
            synchronized (progress) {
                progress.moved(done, writer.bytes() - before, -1);
            }
        }
    }

    private List<Segment> snapshot(long version) {
        List<KeyRange> ranges = ranges(version);
        List<Segment> segments = new ArrayList<>();
        try (ExecutorService readers = Executors.newFixedThreadPool(options.threads())) {
            List<Future<Segment>> running = new ArrayList<>();
            for (int i = 0; i < ranges.size(); i++) {
                KeyRange range = ranges.get(i);
                Content content =
                        StoredTables.contains(range.from()) ? Content.TABLES : Content.SNAPSHOT;
                String file =
                        String.format(
                                Locale.ROOT,
                                "%s-%04d.seg",
                                content.name().toLowerCase(Locale.ROOT),
                                i);
                running.add(readers.submit(() -> range(version, range, file, content)));
            }
            for (Future<Segment> one : running) {
                segments.add(result(one, readers));
            }
        }
        return segments;
    }

    private static Segment result(Future<Segment> running, ExecutorService readers) {
        try {
            return running.get();
        } catch (ExecutionException failed) {
            readers.shutdownNow();
            throw failed.getCause() instanceof PetrichorException cause
                    ? cause
                    : new IllegalStateException(failed);
        } catch (InterruptedException interrupted) {
            readers.shutdownNow();
            Thread.currentThread().interrupt();
            throw PetrichorException.of(ErrorCode.UNAVAILABLE, "The backup was interrupted.");
        }
    }

    private List<KeyRange> ranges(long version) {
        RowsResponse splits =
                ask(
                        request()
                                .setSplit(
                                        SplitRows.newBuilder()
                                                .setVersion(version)
                                                .setRanges(options.threads() * RANGES_PER_THREAD)));
        List<KeyRange> ranges = new ArrayList<>();
        for (KeyRange all : BackupFilter.ALL.ranges()) {
            byte[] from = all.from();
            for (ByteString one : splits.getSplitsList()) {
                byte[] split = one.toByteArray();
                if (all.contains(split)) {
                    ranges.add(new KeyRange(from, split));
                    from = split;
                }
            }
            ranges.add(new KeyRange(from, all.to()));
        }
        return ranges;
    }

    private Segment range(long version, KeyRange range, String file, Content content) {
        try (SegmentWriter writer =
                new SegmentWriter(sets.target(), sets.folder(version) + "/" + file, sets.key())) {
            RowsPages pages = new RowsPages(owner, request().build(), version, range, BLOCK_BYTES);
            for (RowsResponse page = pages.next(); page != null; page = pages.next()) {
                add(writer, page);
            }
            return writer.complete(content);
        }
    }

    /** Reads the rows of a range, page by page. */
    static final class RowsPages {
        private final RowsOwner owner;
        private final RowsRequest request;
        private final long version;
        private final ByteString to;
        private final int bytes;
        private @Nullable ByteString from;

        RowsPages(RowsOwner owner, RowsRequest request, long version, KeyRange range, int bytes) {
            this.owner = owner;
            this.request = request;
            this.version = version;
            this.from = ByteString.copyFrom(range.from());
            this.to = ByteString.copyFrom(BackupFilter.end(range));
            this.bytes = bytes;
        }

        /** Null at the end. */
        @Nullable RowsResponse next() {
            if (from == null) {
                return null;
            }
            RowsResponse page =
                    owner.ask(
                            request.toBuilder()
                                    .setScan(
                                            ScanRows.newBuilder()
                                                    .setVersion(version)
                                                    .setFrom(from)
                                                    .setTo(to)
                                                    .setBytesMax(bytes))
                                    .build());
            from = page.getEnd() ? null : page.getNext();
            return page;
        }
    }
}
