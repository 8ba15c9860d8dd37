package petrichor.analytics;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.sql.entities.EntityColumns;
import petrichor.transactions.ChangedCommit;
import petrichor.transactions.Changes;
import petrichor.transactions.Database;
import petrichor.transactions.NotSequencedHere;
import petrichor.transactions.RowChange;

/**
 * The segments of one database in one worker: copies of tables, all at the same version. Guarded by
 * {@link #lock}, which a query holds until its reads are pinned in the worker.
 */
final class DatabaseSegments {
    /** Changed rows of one table that are applied; with more, the table is scanned again. */
    private static final int CHANGED_ROWS_MAX = 200_000;

    /** Bytes of all changed rows that are kept to be applied. */
    private static final long CHANGED_BYTES_MAX = 64L << 20;

    private static final int COMMITS_PER_READ = 1_000;
    private static final long BYTES_PER_READ = 8L << 20;

    final ReentrantLock lock = new ReentrantLock();
    private final Worker worker;
    private final Database database;
    private final AnalyticsSettings settings;
    private final KindSources kinds;
    private final Map<String, Segment> segments = new LinkedHashMap<>(16, 0.75f, true);
    private long version;

    /** A copy of a table or kind. */
    private record Segment(String name, SegmentSource source, long rows) {}

    DatabaseSegments(
            Worker worker, Database database, AnalyticsSettings settings, KindSources kinds) {
        this.worker = worker;
        this.database = database;
        this.settings = settings;
        this.kinds = kinds;
    }

    /** Whether this is a database that is still open. */
    boolean of(Database opened) {
        return database.equals(opened);
    }

    Worker worker() {
        return worker;
    }

    /**
     * Names of segments for sources at a version, in their order. Those of an older version than
     * the kept ones belong to the query, which drops them.
     */
    List<String> at(WorkerLink link, long wanted, List<SegmentSource> sources, long timeoutMs) {
        List<String> names = new ArrayList<>();
        if (!segments.isEmpty() && wanted < version) {
            for (SegmentSource source : sources) {
                String suffix = "_" + UUID.randomUUID().toString().replace("-", "");
                String name = source.segment() + suffix;
                Segment _ = load(link, name, false, source, wanted, timeoutMs);
                names.add(name);
            }
            return names;
        }
        boolean advanced = false;
        try {
            advance(link, wanted, timeoutMs);
            advanced = true;
        } finally {
            if (!advanced) {
                segments.clear(); // some may have changed
            }
        }
        for (SegmentSource source : sources) {
            String name = source.segment();
            if (!segments.containsKey(name)) {
                dropFormer(link, source);
                segments.put(name, load(link, name, true, source, wanted, timeoutMs));
            }
            names.add(name);
        }
        return names;
    }

    private Segment load(
            WorkerLink link,
            String name,
            boolean kept,
            SegmentSource source,
            long wanted,
            long timeoutMs) {
        String stream = UUID.randomUUID().toString();
        link.load(Wire.LOAD, name, kept, source, stream, timeoutMs);
        RowStreams.scan(worker, stream, database, wanted, source, settings.threads());
        return new Segment(name, source, loaded(link, source).rows());
    }

    private WorkerLink.Loaded loaded(WorkerLink link, SegmentSource source) {
        try {
            return link.loaded();
        } catch (ValuesMisfit misfit) {
            EntityColumns kind = source.kind();
            if (kind != null) {
                kinds.widen(database, kind, misfit.types());
            }
            throw misfit;
        }
    }

    /** Adds what was committed since the version of the segments. */
    private void advance(WorkerLink link, long wanted, long timeoutMs) {
        if (segments.isEmpty() || wanted == version) {
            version = wanted;
            return;
        }
        Map<String, Map<RowKey, byte @Nullable []>> changed = changes(wanted);
        for (Segment segment : List.copyOf(segments.values())) {
            Map<RowKey, byte @Nullable []> rows =
                    changed == null ? null : changed.getOrDefault(segment.name, Map.of());
            if (rows == null || rows.size() > CHANGED_ROWS_MAX) {
                segments.remove(segment.name);
                link.drop(segment.name);
            } else if (!rows.isEmpty()) {
                segments.remove(segment.name);
                apply(link, segment, rows, timeoutMs);
            }
        }
        version = wanted;
    }

    private void apply(
            WorkerLink link, Segment segment, Map<RowKey, byte @Nullable []> rows, long timeoutMs) {
        String stream = UUID.randomUUID().toString();
        link.load(Wire.APPLY, segment.name, true, segment.source, stream, timeoutMs);
        RowStreams.changes(worker, stream, rows);
        try {
            long count = loaded(link, segment.source).rows();
            segments.put(segment.name, new Segment(segment.name, segment.source, count));
        } catch (ValuesMisfit misfit) {
            link.drop(segment.name); // the next query of it copies it with wider columns
        }
    }

    /** Newest values of changed rows by segment; null if the changes are not known or too many. */
    private @Nullable Map<String, Map<RowKey, byte @Nullable []>> changes(long wanted) {
        Map<String, Map<RowKey, byte @Nullable []>> changed = new HashMap<>();
        long bytes = 0;
        long position = version;
        try {
            while (position < wanted) {
                Changes part = database.changes().after(position, COMMITS_PER_READ, BYTES_PER_READ);
                for (ChangedCommit commit : part.commits()) {
                    if (commit.version() > wanted) {
                        return changed;
                    }
                    for (RowChange change : commit.rows()) {
                        bytes += add(change, changed);
                    }
                }
                if (bytes > CHANGED_BYTES_MAX) {
                    return null;
                }
                if (part.commits().isEmpty() || part.position() <= position) {
                    return changed;
                }
                position = part.position();
            }
            return changed;
        } catch (NotSequencedHere | PetrichorException removed) {
            return null;
        }
    }

    private long add(RowChange change, Map<String, Map<RowKey, byte @Nullable []>> changed) {
        for (Segment segment : segments.values()) {
            if (segment.source.contains(change.key())) {
                var after = change.after();
                changed.computeIfAbsent(segment.name, _ -> new LinkedHashMap<>())
                        .put(new RowKey(change.key()), after == null ? null : after.value());
                return change.bytes();
            }
        }
        return 0;
    }

    /** Segments of the table or kind before its columns changed. */
    private void dropFormer(WorkerLink link, SegmentSource source) {
        for (Segment segment : List.copyOf(segments.values())) {
            if (segment.source.id().equals(source.id())) {
                segments.remove(segment.name);
                link.drop(segment.name);
            }
        }
    }

    /**
     * Drops the least recently used segments that a query does not need; false if there is none.
     */
    boolean dropUnused(WorkerLink link, List<SegmentSource> needed) {
        List<String> names = new ArrayList<>();
        needed.forEach(source -> names.add(source.segment()));
        for (Segment segment : List.copyOf(segments.values())) {
            if (!names.contains(segment.name)) {
                segments.remove(segment.name);
                link.drop(segment.name);
                return true;
            }
        }
        return false;
    }
}
