package petrichor.transactions.changes;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.Reads;
import petrichor.transactions.ChangeConsumer;
import petrichor.transactions.ChangeFeed;
import petrichor.transactions.ChangedCommit;
import petrichor.transactions.Changes;
import petrichor.transactions.rows.ReadPoint;
import petrichor.transactions.rows.TableLayout;

/** The change feed of a database whose sequencer runs in this process. Thread-safe. */
public final class RowChangeFeed implements ChangeFeed {
    /** What the feed needs to know of its database. */
    public interface Source {
        /** Fails if another process may own the database. */
        void requireOwned();

        /** Every commit up to here is decided and published. */
        long newestVersion();

        /** An upper bound of all versions in the store. */
        long versionCeiling();

        /** A read point at a past version, which the caller leaves. */
        ReadPoint at(long version);

        Reads rows();

        /** Of the last step before this process took the database. */
        long takenVersion();

        /** What was removed; valid for positions with an open read point. */
        KeptChanges kept();

        /** As stored, by this owner or another one. */
        KeptChanges keptAsStored();
    }

    /** Keys of a part of the feed, after which it accepts no further commit. */
    private static final int KEYS_MAX = 10_000;

    /** Rows that are read at once, before their size is known. */
    private static final int KEYS_FIRST = 64;

    private final TableLayout layout;
    private final ChangeLog log;
    private final Source source;
    private final VersionSignal signal;
    private final Consumers consumers;
    private final TimeSource time;

    public RowChangeFeed(
            TableLayout layout,
            ChangeLog log,
            Source source,
            VersionSignal signal,
            Consumers consumers,
            TimeSource time) {
        this.layout = layout;
        this.log = log;
        this.source = source;
        this.signal = signal;
        this.consumers = consumers;
        this.time = time;
    }

    @Override
    public Changes after(long position, int commitsMax, long bytesMax) {
        source.requireOwned();
        // Before the view is opened, which then shows all of it.
        long newest = source.newestVersion();
        requirePast(position, newest);
        ReadPoint point = source.at(position);
        try {
            long from = requireKept(position);
            if (from >= newest) {
                return new Changes(Math.max(position, newest), List.of());
            }
            Changes changes = read(from, newest, commitsMax, bytesMax, point);
            // Another owner may have removed history while this one was suspended.
            KeptChanges stored = source.keptAsStored();
            if (from < stored.from()) {
                throw ChangeLog.gone(position, stored.from());
            }
            source.requireOwned();
            return changes;
        } finally {
            point.leave();
        }
    }

    private void requirePast(long position, long newest) {
        if (position < 0 || position > Math.max(newest, time.epochMicros())) {
            throw PetrichorException.invalid(
                    "The position {position} is in the future; the newest position is {newest}.",
                    "position",
                    position,
                    "newest",
                    newest);
        }
    }

    private Changes read(
            long position, long newest, int commitsMax, long bytesMax, ReadPoint point) {
        ChangeLog.Scanned scanned =
                log.scan(
                        point.source().rows(),
                        position,
                        newest,
                        Math.clamp(commitsMax, 1, COMMITS_MAX),
                        KEYS_MAX);
        if (scanned.gap() != null && scanned.upTo() == position) {
            throw ChangeLog.gone(position, scanned.gap());
        }
        ChangeImages images = new ChangeImages(layout, point, this::ceiling);
        List<ChangedCommit> commits = new ArrayList<>();
        long bytes = 0;
        int keys = 0;
        int from = 0;
        while (from < scanned.commits().size() && (from == 0 || bytes < bytesMax)) {
            int to = endOfPiece(scanned.commits(), from, keysWithin(bytesMax - bytes, bytes, keys));
            for (ChangedCommit commit : images.of(scanned.commits().subList(from, to))) {
                commits.add(commit);
                bytes += commit.bytes();
                keys += commit.rows().size();
            }
            from = to;
        }
        boolean all = from == scanned.commits().size();
        return new Changes(all ? scanned.upTo() : commits.getLast().version(), commits);
    }

    /** As many rows as fit, if they are as large as those read so far. */
    private static long keysWithin(long bytesLeft, long bytes, int keys) {
        return keys == 0 ? KEYS_FIRST : Math.max(1, bytesLeft / Math.max(1, bytes / keys));
    }

    private static int endOfPiece(List<ChangeRecord.Commit> commits, int from, long keysMax) {
        long keys = 0;
        int to = from;
        while (to < commits.size() && (to == from || keys < keysMax)) {
            keys += commits.get(to).keys().size();
            to++;
        }
        return to;
    }

    private long ceiling() {
        return source.versionCeiling();
    }

    /**
     * Where to read on, once the position has an open read point or is that of a consumer: later
     * than the position if what was removed in between had no commits.
     */
    private long requireKept(long position) {
        KeptChanges kept = source.kept();
        if (position < kept.lostUpTo()) {
            throw ChangeLog.gone(position, kept.lostUpTo());
        }
        long from = Math.max(position, kept.from());
        Long unrecorded = unrecordedUpTo();
        if (unrecorded != null && from < unrecorded) {
            throw ChangeLog.gone(position, unrecorded);
        }
        return from;
    }

    /**
     * The last step before this process took the database, if it has no record: a server without
     * the change feed wrote it. Later steps have records.
     */
    private @Nullable Long unrecordedUpTo() {
        long taken = source.takenVersion();
        return taken == 0 || log.has(source.rows(), taken) ? null : taken;
    }

    @Override
    public long oldest() {
        source.requireOwned();
        Reads rows = source.rows();
        KeptChanges kept = source.kept();
        Long unrecorded = unrecordedUpTo();
        Long first = log.first(rows);
        // Records that begin later than what was removed: before them there were none.
        long recordedFrom = first != null && first > kept.from() ? first : 0;
        return Math.max(
                Math.max(kept.lostUpTo(), recordedFrom), unrecorded == null ? 0 : unrecorded);
    }

    @Override
    public long newest() {
        source.requireOwned();
        return source.newestVersion();
    }

    @Override
    public CompletableFuture<Void> beyond(long position) {
        source.requireOwned();
        CompletableFuture<Void> next = signal.next();
        // A step may have ended before the signal was taken.
        return source.newestVersion() > position ? CompletableFuture.completedFuture(null) : next;
    }

    @Override
    public List<ChangeConsumer> consumers() {
        source.requireOwned();
        return consumers.all();
    }

    @Override
    public ChangeConsumer moveConsumer(String name, long position) {
        source.requireOwned();
        requirePast(position, source.newestVersion());
        return consumers.move(
                name,
                position,
                time.epochMicros(),
                kept -> {
                    var _ = requireKept(kept);
                });
    }

    @Override
    public void deleteConsumer(String name) {
        source.requireOwned();
        consumers.delete(name);
    }
}
