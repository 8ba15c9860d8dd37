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
import petrichor.tables.StoredTable;
import petrichor.tables.TableFormat;
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
    private final Map<String, Segment> segments = new LinkedHashMap<>(16, 0.75f, true);
    private long version;

    /** A table's copy. */
    private record Segment(String name, StoredTable table, long rows) {}

    DatabaseSegments(Worker worker, Database database, AnalyticsSettings settings) {
        this.worker = worker;
        this.database = database;
        this.settings = settings;
    }

    /** Whether this is a database that is still open. */
    boolean of(Database opened) {
        return database.equals(opened);
    }

    Worker worker() {
        return worker;
    }

    /**
     * Names of segments for tables at a version, by id of the table. Those of an older version than
     * the kept ones belong to the query, which drops them.
     */
    Map<Integer, String> at(
            WorkerLink link, long wanted, List<StoredTable> tables, long timeoutMs) {
        Map<Integer, String> names = new HashMap<>();
        if (!segments.isEmpty() && wanted < version) {
            for (StoredTable table : tables) {
                String name = name(table) + "_" + UUID.randomUUID().toString().replace("-", "");
                Segment _ = load(link, name, false, table, wanted, timeoutMs);
                names.put(table.id(), name);
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
        for (StoredTable table : tables) {
            String name = name(table);
            if (!segments.containsKey(name)) {
                dropFormer(link, table);
                segments.put(name, load(link, name, true, table, wanted, timeoutMs));
            }
            names.put(table.id(), name);
        }
        return names;
    }

    private Segment load(
            WorkerLink link,
            String name,
            boolean kept,
            StoredTable table,
            long wanted,
            long timeoutMs) {
        String stream = UUID.randomUUID().toString();
        link.load(Wire.LOAD, name, kept, table, stream, timeoutMs);
        RowStreams.scan(
                worker, stream, database, wanted, new TableFormat(table), settings.threads());
        return new Segment(name, table, link.loaded().rows());
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
                String stream = UUID.randomUUID().toString();
                link.load(Wire.APPLY, segment.name, true, segment.table, stream, timeoutMs);
                RowStreams.changes(worker, stream, rows);
                long count = link.loaded().rows();
                segments.put(segment.name, new Segment(segment.name, segment.table, count));
            }
        }
        version = wanted;
    }

    /** Newest values of changed rows by segment; null if the changes are not known or too many. */
    private @Nullable Map<String, Map<RowKey, byte @Nullable []>> changes(long wanted) {
        Map<String, Map<RowKey, byte @Nullable []>> changed = new HashMap<>();
        Map<Segment, TableFormat> formats = new HashMap<>();
        for (Segment segment : segments.values()) {
            formats.put(segment, new TableFormat(segment.table));
        }
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
                        bytes += add(change, formats, changed);
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

    private static long add(
            RowChange change,
            Map<Segment, TableFormat> formats,
            Map<String, Map<RowKey, byte @Nullable []>> changed) {
        for (Map.Entry<Segment, TableFormat> format : formats.entrySet()) {
            if (format.getValue().rows().contains(change.key())) {
                var after = change.after();
                changed.computeIfAbsent(format.getKey().name, _ -> new LinkedHashMap<>())
                        .put(new RowKey(change.key()), after == null ? null : after.value());
                return change.bytes();
            }
        }
        return 0;
    }

    /** Segments of the table before a schema change. */
    private void dropFormer(WorkerLink link, StoredTable table) {
        for (Segment segment : List.copyOf(segments.values())) {
            if (segment.table.id() == table.id()) {
                segments.remove(segment.name);
                link.drop(segment.name);
            }
        }
    }

    /**
     * Drops the least recently used segments that a query does not need; false if there is none.
     */
    boolean dropUnused(WorkerLink link, List<StoredTable> needed) {
        List<String> names = new ArrayList<>();
        needed.forEach(table -> names.add(name(table)));
        for (Segment segment : List.copyOf(segments.values())) {
            if (!names.contains(segment.name)) {
                segments.remove(segment.name);
                link.drop(segment.name);
                return true;
            }
        }
        return false;
    }

    /** Changes with the columns. */
    private static String name(StoredTable table) {
        return "t" + table.id() + "_" + Integer.toHexString(table.columns().hashCode());
    }
}
