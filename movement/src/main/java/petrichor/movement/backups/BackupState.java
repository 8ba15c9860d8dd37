package petrichor.movement.backups;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyRange;
import petrichor.movement.backups.Manifest.Content;
import petrichor.movement.backups.Manifest.Segment;

/**
 * The rows of a backup as of one version, in key order: the newest full set before it, merged with
 * the log up to it. The log's last state of each selected row is kept in memory. Confined to one
 * thread.
 */
final class BackupState implements AutoCloseable {
    /** Overhead of an entity in the map of changes. */
    private static final int ENTRY_BYTES = 150;

    private final BackupSets sets;
    private final BackupFilter filter;
    private final List<KeyRange> ranges;
    private final Manifest base;
    private final List<Manifest> logs;
    private final NavigableMap<Bytes, BackupRow> changed = new TreeMap<>();
    private final Iterator<Segment> snapshots;
    private @Nullable SegmentReader reader;
    private Iterator<BackupRow> block = List.<BackupRow>of().iterator();
    private @Nullable BackupRow stored;

    /**
     * Verifies the hashes of all files that are needed, before anything is returned.
     *
     * @param version FAILED_PRECONDITION if the backup does not contain it
     */
    BackupState(BackupSets sets, BackupSets.Found found, long version, BackupFilter filter) {
        this.sets = sets;
        this.filter = filter;
        List<Manifest> chain = chain(found, version);
        this.base = chain.getFirst();
        List<KeyRange> selected = filter.ranges();
        this.ranges = base.hasTables() ? selected : selected.subList(0, 1);
        this.logs = chain.subList(1, chain.size());
        requireIntact(base, Content.SNAPSHOT);
        requireIntact(base, Content.TABLES);
        logs.forEach(log -> requireIntact(log, Content.LOG));
        logs.forEach(log -> readLog(log, version));
        List<Segment> segments = new ArrayList<>(base.segments(Content.SNAPSHOT));
        segments.addAll(base.segments(Content.TABLES));
        this.snapshots = segments.iterator();
        this.stored = nextStored();
    }

    /** The full set to start from, and the sets with the log after it. */
    private static List<Manifest> chain(BackupSets.Found found, long version) {
        List<BackupSet> all = found.sets();
        if (all.isEmpty()) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND, "The target has no backup of this database.");
        }
        int start = -1;
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).manifest().full() && all.get(i).version() <= version) {
                start = i;
            }
        }
        if (start < 0 || version > all.getLast().version()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The backup has no data of {version}: it contains the time from {from} to"
                            + " {to}.",
                    "version",
                    BackupTime.text(version),
                    "from",
                    BackupTime.text(all.getFirst().version()),
                    "to",
                    BackupTime.text(all.getLast().version()));
        }
        List<Manifest> chain = new ArrayList<>();
        chain.add(all.get(start).manifest());
        for (int i = start + 1; i < all.size() && chain.getLast().version() < version; i++) {
            Manifest next = all.get(i).manifest();
            if (next.previous().isEmpty()) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "The backup has no log from {from} to {to}, so it cannot be restored to a"
                                + " time between them. Choose one of the two.",
                        "from",
                        BackupTime.text(chain.getLast().version()),
                        "to",
                        BackupTime.text(next.version()));
            }
            chain.add(next);
        }
        return chain;
    }

    private void requireIntact(Manifest manifest, Content content) {
        for (Segment segment : manifest.segments(content)) {
            String name = sets.folder(manifest.version()) + "/" + segment.file();
            MessageDigest digest = SegmentFormat.sha256();
            long bytes = 0;
            try (InputStream in = sets.target().read(name)) {
                byte[] buffer = new byte[1 << 18];
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    digest.update(buffer, 0, n);
                    bytes += n;
                }
            } catch (IOException failed) {
                throw FileProblem.of("cannot read " + name, failed);
            }
            if (bytes != segment.bytes()
                    || !HexFormat.of().formatHex(digest.digest()).equals(segment.sha256())) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "The backup is damaged: {file} has another hash than its manifest states;"
                                + " nothing was restored.",
                        "file",
                        name);
            }
        }
    }

    private void readLog(Manifest log, long version) {
        long memory = Runtime.getRuntime().maxMemory() / 2;
        long bytes = 0;
        for (Segment segment : log.segments(Content.LOG)) {
            try (SegmentReader in = open(log, segment)) {
                for (List<BackupRow> rows = in.next(); rows != null; rows = in.next()) {
                    for (BackupRow row : rows) {
                        if (row.version() <= version && selects(row.key())) {
                            bytes += row.bytes() + ENTRY_BYTES;
                            BackupRow former = changed.put(Bytes.of(row.key()), row);
                            bytes -= former == null ? 0 : former.bytes() + ENTRY_BYTES;
                        }
                    }
                    requireFits(bytes, memory);
                }
            }
        }
    }

    private boolean selects(byte[] row) {
        for (KeyRange range : ranges) {
            if (range.contains(row)) {
                return filter.selects(row);
            }
        }
        return false;
    }

    private static void requireFits(long bytes, long memory) {
        if (bytes > memory) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "The log since the last full backup does not fit in memory; restore fewer"
                            + " kinds at a time, or run with a larger heap.");
        }
    }

    private SegmentReader open(Manifest manifest, Segment segment) {
        return new SegmentReader(
                sets.target(),
                sets.folder(manifest.version()) + "/" + segment.file(),
                segment,
                sets.key());
    }

    /** Of the newest set that it uses. */
    Manifest newest() {
        return logs.isEmpty() ? base : logs.getLast();
    }

    /** The ranges in which {@link #next} returns rows. */
    List<KeyRange> ranges() {
        return ranges;
    }

    /** The next row; null at the end. */
    @Nullable BackupRow next() {
        while (true) {
            BackupRow snapshot = stored;
            var change = changed.firstEntry();
            if (snapshot == null && change == null) {
                return null;
            }
            int order =
                    snapshot == null
                            ? 1
                            : change == null
                                    ? -1
                                    : Bytes.compare(snapshot.key(), change.getKey().array());
            if (order < 0) {
                stored = nextStored();
                return snapshot;
            }
            if (order == 0) {
                stored = nextStored();
            }
            changed.pollFirstEntry();
            if (change != null && change.getValue().value() != null) {
                return change.getValue();
            }
        }
    }

    private @Nullable BackupRow nextStored() {
        while (true) {
            while (block.hasNext()) {
                BackupRow row = block.next();
                if (selects(row.key())) {
                    return row;
                }
            }
            SegmentReader open = reader;
            List<BackupRow> rows = open == null ? null : open.next();
            if (rows != null) {
                block = rows.iterator();
                continue;
            }
            close();
            if (!snapshots.hasNext()) {
                return null;
            }
            reader = open(base, snapshots.next());
        }
    }

    @Override
    public void close() {
        if (reader != null) {
            reader.close();
            reader = null;
        }
    }
}
