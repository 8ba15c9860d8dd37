package petrichor.services.blobs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import petrichor.kv.Direction;
import petrichor.services.blobs.content.BlobContent;
import petrichor.services.blobs.content.ContentId;
import petrichor.transactions.Database;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;

/**
 * Deletes what is no longer needed: contents of deleted objects, expired uploads, and contents that
 * a crash left without a reference. Thread-safe; the caller decides how often it runs.
 */
public final class Collector {
    /**
     * A younger content without a reference may belong to a request of another server. No request
     * takes that long.
     */
    static final Duration ORPHAN_AGE = Duration.ofDays(1);

    private static final int ROWS_AT_ONCE = 1_000;

    private final BlobStore store;
    private final Buckets buckets;

    Collector(BlobStore store, Buckets buckets) {
        this.store = store;
        this.buckets = buckets;
    }

    /**
     * Deletes contents of deleted objects, and expired uploads and forms, of all projects owned
     * here.
     */
    public void collect() {
        for (String project : buckets.projects()) {
            Database database = store.database(project);
            if (database.sequencedHere()) {
                endExpiredUploads(project, database);
                FormSessions.deleteExpired(store, project);
                deleteGarbage(project, database);
            }
        }
    }

    /** Deletes contents that a crash left without a reference; reads all contents. */
    public void collectOrphans() {
        for (String project : buckets.projects()) {
            Database database = store.database(project);
            if (database.sequencedHere()) {
                deleteOrphans(project, database);
            }
        }
    }

    private void endExpiredUploads(String project, Database database) {
        List<String> expired = new ArrayList<>();
        try (Snapshot snapshot = database.snapshot();
                RowCursor rows = snapshot.scan(BlobRows.uploads(), Direction.FORWARD)) {
            while (expired.size() < ROWS_AT_ONCE && rows.next()) {
                String id = BlobRows.uploadId(rows.key());
                if (Upload.of(project, id, rows.value()).expiresMicros() <= store.now()) {
                    expired.add(id);
                }
            }
        }
        expired.forEach(id -> Uploads.end(store, project, id));
    }

    private void deleteGarbage(String project, Database database) {
        long before = store.now() - micros(store.content().keptForReaders());
        List<ContentId> found = new ArrayList<>();
        try (Snapshot snapshot = database.snapshot();
                RowCursor rows = snapshot.scan(BlobRows.garbage(), Direction.FORWARD)) {
            while (found.size() < ROWS_AT_ONCE && rows.next()) {
                if (Times.decode(rows.value()) <= before) {
                    found.add(BlobRows.garbageId(project, rows.key()));
                }
            }
        }
        for (ContentId id : found) {
            store.content().delete(id);
            RowChange.commit(
                    database,
                    change -> {
                        change.delete(BlobRows.garbage(id));
                        return id;
                    });
        }
    }

    private void deleteOrphans(String project, Database database) {
        long before = store.now() - micros(ORPHAN_AGE);
        for (BlobContent.Stored stored : store.content().list(project)) {
            ContentId id = stored.id();
            if (stored.changedMicros() < before
                    && !store.written().contains(id)
                    && isOrphan(database, id)) {
                store.content().delete(id);
            }
        }
    }

    private static boolean isOrphan(Database database, ContentId id) {
        try (Snapshot snapshot = database.snapshot();
                RowCursor references = snapshot.scan(BlobRows.references(id), Direction.FORWARD)) {
            return !references.next() && snapshot.get(BlobRows.garbage(id)) == null;
        }
    }

    private static long micros(Duration duration) {
        return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
    }
}
