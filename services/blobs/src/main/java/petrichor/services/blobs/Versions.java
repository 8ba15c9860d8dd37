package petrichor.services.blobs;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.kv.KeyRange;
import petrichor.services.blobs.content.ContentId;
import petrichor.transactions.Row;

/**
 * Writes the versions of an object as part of a change, and keeps the references to contents in
 * step: a content whose last reference is removed becomes garbage in the same commit.
 */
final class Versions {
    private final RowChange change;
    private final Bucket bucket;
    private final String name;
    private final long now;

    /**
     * @param bucket as the change sees it
     * @param now microseconds since 1970
     */
    Versions(RowChange change, Bucket bucket, String name, long now) {
        this.change = change;
        this.bucket = bucket;
        this.name = name;
        this.now = now;
    }

    @Nullable BlobObject live() {
        return object(change.get(BlobRows.live(bucket.name(), name)));
    }

    @Nullable BlobObject noncurrent(long generation) {
        return object(change.get(BlobRows.noncurrent(bucket.name(), name, generation)));
    }

    private @Nullable BlobObject object(@Nullable Row row) {
        return row == null ? null : StoredRows.object(bucket, name, row.value());
    }

    /** For the next version: later than every earlier one. */
    long nextGeneration(@Nullable BlobObject live) {
        return live == null ? now : Math.max(now, live.generation() + 1);
    }

    /**
     * Makes a new version the live one.
     *
     * @param before the live version until now; null if there is none
     */
    void put(@Nullable BlobObject before, BlobObject next) {
        Set<ContentId> kept = ids(next);
        if (before != null) {
            retire(before, kept);
        }
        for (ContentId id : kept) {
            change.put(reference(id, next.generation()), new byte[] {1});
        }
        change.put(BlobRows.live(bucket.name(), name), StoredRows.encode(next));
    }

    /** Replaces the metadata of a version. */
    void update(BlobObject changed, boolean live) {
        byte[] key =
                live
                        ? BlobRows.live(bucket.name(), name)
                        : BlobRows.noncurrent(bucket.name(), name, changed.generation());
        change.put(key, StoredRows.encode(changed));
    }

    /** The live version becomes a noncurrent one if the bucket keeps those. */
    void deleteLive(BlobObject live) {
        change.delete(BlobRows.live(bucket.name(), name));
        retire(live, Set.of());
    }

    private void retire(BlobObject before, Set<ContentId> kept) {
        if (bucket.versioning()) {
            change.put(
                    BlobRows.noncurrent(bucket.name(), name, before.generation()),
                    StoredRows.encode(before));
        } else {
            release(before, kept);
        }
    }

    /** Deletes the live version, which does not become a noncurrent one. */
    void purgeLive(BlobObject live) {
        change.delete(BlobRows.live(bucket.name(), name));
        release(live, Set.of());
    }

    void purgeNoncurrent(BlobObject old) {
        change.delete(BlobRows.noncurrent(bucket.name(), name, old.generation()));
        release(old, Set.of());
    }

    private void release(BlobObject version, Set<ContentId> kept) {
        for (ContentId id : ids(version)) {
            byte[] reference = reference(id, version.generation());
            if (kept.contains(id)) {
                change.delete(reference);
            } else {
                release(change, id, reference, now);
            }
        }
    }

    /** Removes a reference; if it was the last one, the content becomes garbage. */
    static void release(RowChange change, ContentId id, byte[] reference, long now) {
        KeyRange all = BlobRows.references(id);
        boolean used =
                change.first(all, 2).stream()
                        .anyMatch(row -> !java.util.Arrays.equals(row.key(), reference));
        change.delete(reference);
        if (!used) {
            change.put(BlobRows.garbage(id), Times.encode(now));
        }
    }

    private byte[] reference(ContentId id, long generation) {
        return BlobRows.referenceByVersion(id, bucket.name(), name, generation);
    }

    private static Set<ContentId> ids(BlobObject object) {
        Set<ContentId> ids = new HashSet<>();
        Consumer<BlobObject.Part> add = part -> ids.add(part.id());
        object.content().parts().forEach(add);
        return ids;
    }
}
