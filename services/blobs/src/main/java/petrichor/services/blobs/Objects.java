package petrichor.services.blobs;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.services.blobs.content.Checksums;
import petrichor.services.blobs.content.ContentReader;
import petrichor.transactions.Row;
import petrichor.transactions.Snapshot;

/** The objects of all buckets. Thread-safe. */
public final class Objects {
    /** Cloud Storage's limit, 5 TiB. */
    public static final long BYTES_MAX = 5L << 40;

    /** Cloud Storage's limit. */
    public static final int COMPOSED_MAX = 32;

    /** Parts of one object; more contents would make its row and its commits too large. */
    private static final int PARTS_MAX = 1_024;

    private final BlobStore store;
    private final Buckets buckets;

    Objects(BlobStore store, Buckets buckets) {
        this.store = store;
        this.buckets = buckets;
    }

    /**
     * An object of which another one is composed.
     *
     * @param generation null for the live version
     */
    public record Source(String name, @Nullable Long generation, Preconditions conditions) {}

    /** Starts an upload, after a first check of bucket, name and preconditions. */
    public ObjectWriter create(String bucketName, String name, NewObject wanted) {
        BlobNames.requireObject(name);
        Bucket bucket = buckets.get(bucketName);
        BlobObject before = find(bucket, name, null).orElse(null);
        wanted.conditions().require(before == null ? null : before.version(), name);
        store.quota().require(bucket.project(), () -> 0);
        return new ObjectWriter(store, bucket, name, wanted);
    }

    /**
     * NOT_FOUND if the bucket does not exist.
     *
     * @param generation null for the live version
     */
    public Optional<BlobObject> find(String bucketName, String name, @Nullable Long generation) {
        return find(buckets.get(bucketName), name, generation);
    }

    public BlobObject get(String bucketName, String name, @Nullable Long generation) {
        return find(bucketName, name, generation).orElseThrow(() -> missing(bucketName, name));
    }

    private static PetrichorException missing(String bucket, String name) {
        return PetrichorException.of(
                ErrorCode.NOT_FOUND,
                "No such object: {bucket}/{name}",
                "bucket",
                bucket,
                "name",
                name);
    }

    static PetrichorException tooLarge() {
        return PetrichorException.invalid("The object is larger than 5 TiB, the largest size.");
    }

    Optional<BlobObject> find(Bucket bucket, String name, @Nullable Long generation) {
        try (Snapshot snapshot = store.database(bucket.project()).snapshot()) {
            Row live = snapshot.get(BlobRows.live(bucket.name(), name));
            if (live != null) {
                BlobObject object = StoredRows.object(bucket, name, live.value());
                if (generation == null || generation == object.generation()) {
                    return Optional.of(object);
                }
            }
            Row old =
                    generation == null
                            ? null
                            : snapshot.get(BlobRows.noncurrent(bucket.name(), name, generation));
            return Optional.ofNullable(old)
                    .map(row -> StoredRows.object(bucket, name, row.value()));
        }
    }

    /** One page of the objects of a bucket. */
    public Listing list(String bucketName, ListRequest request) {
        Bucket bucket = buckets.get(bucketName);
        try (Snapshot snapshot = store.database(bucket.project()).snapshot()) {
            return new ListScan(snapshot, bucket, request).page();
        }
    }

    /** Changes the attributes of a version; null for the live one. */
    public BlobObject update(
            String bucketName,
            String name,
            @Nullable Long generation,
            Preconditions conditions,
            UnaryOperator<ObjectAttributes> changed) {
        Bucket known = buckets.get(bucketName);
        return RowChange.commit(
                store.database(known.project()),
                change -> {
                    Versions versions =
                            new Versions(change, Buckets.in(change, known), name, store.now());
                    BlobObject live = versions.live();
                    BlobObject before = version(versions, live, known, name, generation);
                    conditions.require(before.version(), name);
                    BlobObject after =
                            new BlobObject(
                                    before.bucket(),
                                    name,
                                    before.version().changed(store.now()),
                                    before.content(),
                                    changed.apply(before.attributes()));
                    versions.update(after, before.equals(live));
                    return after;
                });
    }

    private static BlobObject version(
            Versions versions,
            @Nullable BlobObject live,
            Bucket bucket,
            String name,
            @Nullable Long generation) {
        BlobObject found =
                generation == null || (live != null && live.generation() == generation)
                        ? live
                        : versions.noncurrent(generation);
        if (found == null) {
            throw missing(bucket.name(), name);
        }
        return found;
    }

    /**
     * Deletes the live version, or the given one. In a bucket with versioning, the live version
     * becomes a noncurrent one unless its generation is given.
     */
    public void delete(
            String bucketName, String name, @Nullable Long generation, Preconditions conditions) {
        Bucket known = buckets.get(bucketName);
        RowChange.commit(
                store.database(known.project()),
                change -> {
                    Versions versions =
                            new Versions(change, Buckets.in(change, known), name, store.now());
                    BlobObject live = versions.live();
                    BlobObject found = version(versions, live, known, name, generation);
                    conditions.require(found.version(), name);
                    if (!found.equals(live)) {
                        versions.purgeNoncurrent(found);
                    } else if (generation == null) {
                        versions.deleteLive(found);
                    } else {
                        versions.purgeLive(found);
                    }
                    return found;
                });
    }

    /**
     * Concatenates objects of a bucket to a new one. Copies no bytes.
     *
     * @param wanted of the new object; its type is that of the first source if not set
     */
    public BlobObject compose(
            String bucketName, String name, List<Source> sources, NewObject wanted) {
        BlobNames.requireObject(name);
        if (sources.isEmpty() || sources.size() > COMPOSED_MAX) {
            throw PetrichorException.invalid(
                    "The number of source components provided ({sources}) must be between 1 and "
                            + COMPOSED_MAX
                            + ".",
                    "sources",
                    sources.size());
        }
        Bucket bucket = buckets.get(bucketName);
        List<BlobObject> found = new ArrayList<>();
        for (Source source : sources) {
            BlobObject object =
                    find(bucket, source.name(), source.generation())
                            .orElseThrow(() -> missing(bucketName, source.name()));
            source.conditions().require(object.version(), source.name());
            found.add(object);
        }
        BlobObject.Content content = concatenated(found);
        wanted.expected().require(content);
        return store.putObject(
                bucket,
                name,
                content,
                wanted,
                (change, _) -> requireUnchanged(change, bucket, found));
    }

    private static BlobObject.Content concatenated(List<BlobObject> sources) {
        List<BlobObject.Part> parts = new ArrayList<>();
        int crc = 0;
        int components = 0;
        for (BlobObject source : sources) {
            parts.addAll(source.content().parts());
            crc = Checksums.combine(crc, source.content().crc32c(), source.bytes());
            components += Math.max(1, source.content().components());
        }
        if (parts.size() > PARTS_MAX) {
            throw PetrichorException.invalid(
                    "The composed object would have {parts} parts, at most "
                            + PARTS_MAX
                            + " are possible; copy it into one by downloading and uploading it.",
                    "parts",
                    parts.size());
        }
        BlobObject.Content content = new BlobObject.Content(parts, crc, "", components);
        if (content.bytes() > BYTES_MAX) {
            throw tooLarge();
        }
        return content;
    }

    /** A version that was deleted meanwhile may have no content any more. */
    private static void requireUnchanged(
            RowChange change, Bucket bucket, List<BlobObject> sources) {
        for (BlobObject source : sources) {
            Versions versions = new Versions(change, bucket, source.name(), 0);
            BlobObject live = versions.live();
            BlobObject now =
                    live != null && live.generation() == source.generation()
                            ? live
                            : versions.noncurrent(source.generation());
            if (now == null) {
                throw missing(source.bucket(), source.name());
            }
        }
    }

    /**
     * Copies an object. Within a project, the copy shares the content; otherwise its bytes are
     * copied.
     *
     * @param wanted of the copy
     */
    public BlobObject copy(BlobObject source, String bucketName, String name, NewObject wanted) {
        BlobNames.requireObject(name);
        Bucket from = buckets.get(source.bucket());
        Bucket to = buckets.get(bucketName);
        if (!from.project().equals(to.project())) {
            return copyBytes(source, bucketName, name, wanted);
        }
        return store.putObject(
                to,
                name,
                source.content(),
                wanted,
                (change, _) -> requireUnchanged(change, from, List.of(source)));
    }

    private BlobObject copyBytes(
            BlobObject source, String bucketName, String name, NewObject wanted) {
        try (ObjectWriter writer = create(bucketName, name, wanted);
                ContentReader reader = read(source, 0, source.bytes())) {
            for (byte[] piece = reader.next(); piece != null; piece = reader.next()) {
                writer.write(piece, 0, piece.length);
            }
            return writer.finish();
        }
    }

    /** The bytes {@code from <= position < to} of an object. */
    public ContentReader read(BlobObject object, long from, long to) {
        return new ObjectReader(store.content(), object.content().parts(), from, to);
    }
}
