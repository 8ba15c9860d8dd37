package petrichor.transactions.migration;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.transactions.log.FollowerRows;
import petrichor.transactions.rows.TableLayout;
import petrichor.transactions.scheduling.Futures;

/**
 * Copies the rows of a database as they are now, in parallel ranges of keys, a chunk of each per
 * round. A row that changes meanwhile may be copied before or after the change, or in either form
 * twice; the captured steps, applied afterwards in order, make all of them equal. Confined to one
 * thread, which starts others.
 */
final class Copy {
    static final int WORKERS = 4;

    /** Ranges of the table of rows: a measure of progress, and enough for all workers. */
    private static final int RANGES = 64;

    private static final int CHUNK_ROWS_MAX = 2_000;
    private static final long CHUNK_BYTES_MAX = 1L << 20;

    private record Chunk(CopyRange left, long rows, long bytes) {}

    private final MigrationContext context;
    private final List<FollowerRows.Copier> copiers;
    private final long version;

    Copy(MigrationContext context, FollowerRows follower, long version) {
        this.context = context;
        this.version = version;
        this.copiers = follower.takeCopiers(WORKERS);
    }

    /** The ranges of all rows of a database. */
    static List<CopyRange> plan(Reads rows, TableLayout layout) {
        List<CopyRange> ranges = new ArrayList<>();
        KeyRange all = layout.allRows();
        byte[] from = all.from();
        for (byte[] split : splits(rows, all)) {
            ranges.add(new CopyRange(TableLayout.ROWS, from, split, false));
            from = split;
        }
        ranges.add(new CopyRange(TableLayout.ROWS, from, all.to(), false));
        KeyRange history = layout.allHistory();
        ranges.add(new CopyRange(TableLayout.HISTORY, history.from(), history.to(), false));
        KeyRange meta = layout.allMeta();
        ranges.add(new CopyRange(TableLayout.META, meta.from(), meta.to(), false));
        return ranges;
    }

    private static List<byte[]> splits(Reads rows, KeyRange range) {
        byte[] first = end(rows, range, Direction.FORWARD);
        byte[] last = end(rows, range, Direction.REVERSE);
        List<byte[]> splits = new ArrayList<>();
        if (first != null && last != null) {
            split(rows, first, last, RANGES, splits);
        }
        return splits;
    }

    private static void split(
            Reads rows, byte[] first, byte[] last, int ranges, List<byte[]> splits) {
        if (ranges < 2 || Bytes.compare(first, last) >= 0) {
            return;
        }
        byte[] middle =
                end(
                        rows,
                        new KeyRange(middle(first, last), Bytes.successor(last)),
                        Direction.FORWARD);
        if (middle == null || Bytes.compare(middle, first) <= 0) {
            return;
        }
        byte[] before = end(rows, new KeyRange(first, middle), Direction.REVERSE);
        if (before != null) {
            split(rows, first, before, ranges / 2, splits);
        }
        splits.add(middle);
        split(rows, middle, last, ranges - ranges / 2, splits);
    }

    private static byte @Nullable [] end(Reads rows, KeyRange range, Direction direction) {
        try (Scan scan = rows.scan(TableLayout.ROWS, range, direction, 1)) {
            return scan.next() ? scan.key() : null;
        }
    }

    /** Halfway between two keys, as far as the eight bytes after their common prefix show. */
    private static byte[] middle(byte[] first, byte[] last) {
        int common = Arrays.mismatch(first, last);
        long low = eightBytes(first, common);
        long high = eightBytes(last, common);
        long half = (low >>> 1) + (high >>> 1) + (low & high & 1);
        return ByteBuffer.allocate(common + Long.BYTES).put(first, 0, common).putLong(half).array();
    }

    private static long eightBytes(byte[] key, int from) {
        return ByteBuffer.wrap(Arrays.copyOfRange(key, from, from + Long.BYTES)).getLong();
    }

    /** Copies a chunk of several ranges at once; the result is stored by the caller. */
    CompletableFuture<MigrationState> round(MigrationState state) {
        List<Integer> chosen = new ArrayList<>();
        for (int i = 0; i < state.copy().size() && chosen.size() < WORKERS; i++) {
            if (!state.copy().get(i).done()) {
                chosen.add(i);
            }
        }
        List<CompletableFuture<Chunk>> running = new ArrayList<>();
        for (int worker = 0; worker < chosen.size(); worker++) {
            running.add(start(state.copy().get(chosen.get(worker)), copiers.get(worker)));
        }
        return CompletableFuture.allOf(running.toArray(CompletableFuture<?>[]::new))
                .thenApply(_ -> after(state, chosen, running));
    }

    private static MigrationState after(
            MigrationState state, List<Integer> chosen, List<CompletableFuture<Chunk>> chunks) {
        List<CopyRange> ranges = new ArrayList<>(state.copy());
        long rows = state.copied().rows();
        long bytes = state.copied().bytes();
        for (int worker = 0; worker < chosen.size(); worker++) {
            Chunk chunk = Futures.join(chunks.get(worker));
            ranges.set(chosen.get(worker), chunk.left);
            rows += chunk.rows;
            bytes += chunk.bytes;
        }
        return state.copied(new MigrationState.Copied(rows, bytes), ranges);
    }

    // every failure becomes the result of the round
    @SuppressWarnings("CatchThrowable")
    private CompletableFuture<Chunk> start(CopyRange range, FollowerRows.Copier copier) {
        CompletableFuture<Chunk> result = new CompletableFuture<>();
        context.around()
                .scheduler()
                .run(
                        () -> {
                            try {
                                result.complete(chunk(range, copier));
                            } catch (Throwable failed) {
                                result.completeExceptionally(failed);
                            }
                        });
        return result;
    }

    private Chunk chunk(CopyRange range, FollowerRows.Copier copier) {
        WriteBatch batch = new WriteBatch();
        byte[] next = range.from();
        int read = 0;
        try (Scan scan =
                context.durable()
                        .rows()
                        .scan(range.table(), range.left(), Direction.FORWARD, CHUNK_ROWS_MAX)) {
            while (batch.bytes() < CHUNK_BYTES_MAX && scan.next()) {
                read++;
                next = Bytes.successor(scan.key());
                if (!range.table().equals(TableLayout.META)
                        || !MigrationRows.isOfStore(context.layout(), scan.key())) {
                    batch.put(range.table(), scan.key(), scan.value());
                }
            }
        }
        if (!batch.isEmpty()) {
            copier.write(batch, version);
        }
        boolean ended = read < CHUNK_ROWS_MAX && batch.bytes() < CHUNK_BYTES_MAX;
        return new Chunk(
                ended ? range.ended() : range.after(next), batch.ops().size(), batch.bytes());
    }
}
