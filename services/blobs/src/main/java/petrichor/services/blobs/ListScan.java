package petrichor.services.blobs;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;

/**
 * Reads one page of a list. Jumps over the objects of a common prefix, so that a page costs about
 * as many rows as it has entries. Confined to one thread.
 */
final class ListScan {
    private final Snapshot snapshot;
    private final Bucket bucket;
    private final ListRequest request;
    private final boolean versions;
    private final List<BlobObject> objects = new ArrayList<>();
    private final List<String> prefixes = new ArrayList<>();

    ListScan(Snapshot snapshot, Bucket bucket, ListRequest request) {
        this.snapshot = snapshot;
        this.bucket = bucket;
        this.request = request;
        this.versions = request.options().contains(ListRequest.Option.VERSIONS);
    }

    Listing page() {
        @Nullable ListPosition position = start();
        ListPosition reached = position;
        while (position != null) {
            try (Versions from = new Versions(position)) {
                position = null;
                for (BlobObject next = from.next(); next != null; next = from.next()) {
                    if (isBehind(next.name())) {
                        break;
                    }
                    if (!matches(next)) {
                        continue;
                    }
                    if (objects.size() + prefixes.size() >= request.entriesMax()) {
                        return new Listing(objects, prefixes, reached.token());
                    }
                    String common = commonPrefix(next.name());
                    if (common == null) {
                        objects.add(next);
                        reached = ListPosition.after(next);
                    } else {
                        addPrefix(common, next);
                        reached = ListPosition.afterPrefix(common);
                        position = reached;
                        break;
                    }
                }
            }
        }
        return new Listing(objects, prefixes, "");
    }

    private void addPrefix(String common, BlobObject first) {
        prefixes.add(common);
        if (request.options().contains(ListRequest.Option.TRAILING_DELIMITER)
                && first.name().equals(common)) {
            objects.add(first);
        }
    }

    private ListPosition start() {
        if (!request.pageToken().isEmpty()) {
            return ListPosition.of(request.pageToken());
        }
        String prefix = request.names().prefix();
        String start = request.names().start();
        return ListPosition.start(compare(start, prefix) > 0 ? start : prefix);
    }

    /** In the order of keys, which is that of code points. */
    private static int compare(String a, String b) {
        return Bytes.compare(
                a.getBytes(java.nio.charset.StandardCharsets.UTF_8),
                b.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    /** Whether this name and all later ones are outside of the request. */
    private boolean isBehind(String name) {
        String end = request.names().end();
        return !name.startsWith(request.names().prefix())
                || (!end.isEmpty() && compare(name, end) >= 0);
    }

    private boolean matches(BlobObject object) {
        return request.glob() == null || request.glob().test(object.name());
    }

    private @Nullable String commonPrefix(String name) {
        if (request.delimiter().isEmpty()) {
            return null;
        }
        int at = name.indexOf(request.delimiter(), request.names().prefix().length());
        return at < 0 ? null : name.substring(0, at + request.delimiter().length());
    }

    /** Merges live and noncurrent versions, from a position on. */
    private final class Versions implements AutoCloseable {
        private final ListPosition from;
        private final RowCursor live;
        private final @Nullable RowCursor old;
        private @Nullable BlobObject nextLive;
        private @Nullable BlobObject nextOld;

        Versions(ListPosition from) {
            this.from = from;
            this.live = scan(BlobRows.live(bucket.name()));
            this.old = versions ? scan(BlobRows.noncurrent(bucket.name())) : null;
            this.nextLive = read(live);
            this.nextOld = read(old);
        }

        private RowCursor scan(KeyRange all) {
            return snapshot.scan(
                    new KeyRange(from.firstKey(all.from()), all.to()), Direction.FORWARD);
        }

        private @Nullable BlobObject read(@Nullable RowCursor cursor) {
            while (cursor != null && cursor.next()) {
                BlobObject object =
                        StoredRows.object(
                                bucket, BlobRows.objectName(cursor.key()), cursor.value());
                if (!from.covers(object)) {
                    return object;
                }
            }
            return null;
        }

        /** Of the same name, the live version is the newest. */
        @Nullable BlobObject next() {
            BlobObject current = nextLive;
            BlobObject noncurrent = nextOld;
            if (noncurrent != null
                    && (current == null || compare(noncurrent.name(), current.name()) <= 0)) {
                nextOld = read(old);
                return noncurrent;
            }
            nextLive = read(live);
            return current;
        }

        @Override
        public void close() {
            live.close();
            if (old != null) {
                old.close();
            }
        }
    }
}
