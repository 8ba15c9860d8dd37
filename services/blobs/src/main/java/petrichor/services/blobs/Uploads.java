package petrichor.services.blobs;

import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.services.blobs.content.ContentId;
import petrichor.transactions.Row;
import petrichor.transactions.Snapshot;

/**
 * Resumable uploads: an object arrives in several requests, between which the client or the server
 * may restart. What a request has acknowledged is durable. If a second request for the same upload
 * arrives while the first is still running, because its client has lost the connection, the second
 * one takes over. Thread-safe.
 */
public final class Uploads {
    /** As Cloud Storage. */
    static final Duration EXPIRY = Duration.ofDays(7);

    private final BlobStore store;
    private final Buckets buckets;
    private final DigestCache digests = new DigestCache();
    private final Map<String, UploadWriter> running = new ConcurrentHashMap<>();

    Uploads(BlobStore store, Buckets buckets) {
        this.store = store;
        this.buckets = buckets;
    }

    /**
     * Starts an upload, after a first check of bucket, name and preconditions.
     *
     * @param size announced by the client; null if unknown
     */
    public Upload start(String bucketName, String name, NewObject wanted, @Nullable Long size) {
        BlobNames.requireObject(name);
        if (size != null && size > Objects.BYTES_MAX) {
            throw Objects.tooLarge();
        }
        Bucket bucket = buckets.get(bucketName);
        store.quota().require(bucket.project(), () -> 0);
        Upload upload =
                new Upload(
                        new Upload.Target(bucket.project(), bucketName, name, wanted),
                        newId(),
                        new Upload.Progress(store.newContent(bucket.project()), 0, 0),
                        size,
                        store.now() + TimeUnit.NANOSECONDS.toMicros(EXPIRY.toNanos()),
                        0);
        return RowChange.commit(
                store.database(bucket.project()),
                change -> {
                    Versions versions =
                            new Versions(change, Buckets.in(change, bucket), name, store.now());
                    BlobObject live = versions.live();
                    wanted.conditions().require(live == null ? null : live.version(), name);
                    change.put(BlobRows.upload(upload.id()), upload.encode());
                    change.put(reference(upload), new byte[] {1});
                    return upload;
                });
    }

    private String newId() {
        byte[] bytes = new byte[2 * ContentId.BYTES];
        store.chance().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static byte[] reference(Upload upload) {
        return BlobRows.referenceByUpload(upload.progress().content(), upload.id());
    }

    /** NOT_FOUND if it does not exist, or has expired, or was cancelled. */
    public Upload get(String bucketName, String id) {
        Bucket bucket = buckets.get(bucketName);
        try (Snapshot snapshot = store.database(bucket.project()).snapshot()) {
            return found(bucket, id, snapshot.get(BlobRows.upload(id)));
        }
    }

    private Upload found(Bucket bucket, String id, @Nullable Row row) {
        return Optional.ofNullable(row)
                .map(stored -> Upload.of(bucket.project(), id, stored.value()))
                .filter(upload -> upload.target().bucket().equals(bucket.name()))
                .filter(upload -> upload.expiresMicros() > store.now())
                .orElseThrow(
                        () ->
                                PetrichorException.of(
                                        ErrorCode.NOT_FOUND,
                                        "No such upload: it is complete since long, was cancelled,"
                                                + " or has expired. Start a new one."));
    }

    /**
     * Continues an upload that is not complete, and ends an earlier request for it.
     *
     * @param from position of the next byte; INVALID_ARGUMENT if bytes between are missing. Bytes
     *     that were received already are skipped
     */
    public UploadWriter append(Upload upload, long from) {
        if (from > upload.received()) {
            throw PetrichorException.invalid(
                    "The upload continues at byte {received}, not at {from}; ask for its state.",
                    "received",
                    upload.received(),
                    "from",
                    from);
        }
        UploadWriter earlier = running.remove(upload.id());
        if (earlier != null) {
            earlier.supersede();
        }
        UploadWriter writer = new UploadWriter(store, this, upload, from);
        running.put(upload.id(), writer);
        return writer;
    }

    void ended(UploadWriter writer) {
        running.remove(writer.id(), writer);
    }

    DigestCache digests() {
        return digests;
    }

    /** Makes progress durable. ABORTED if another request has continued the upload. */
    Upload advance(Upload before, Upload.Progress progress) {
        return RowChange.commit(
                store.database(before.target().project()),
                change -> {
                    requireUnchanged(change, before);
                    Upload after = before.with(progress);
                    change.put(BlobRows.upload(before.id()), after.encode());
                    return after;
                });
    }

    private static void requireUnchanged(RowChange change, Upload before) {
        Row row = change.get(BlobRows.upload(before.id()));
        if (row == null
                || !Upload.of(before.target().project(), before.id(), row.value())
                        .progress()
                        .equals(before.progress())) {
            throw PetrichorException.of(
                    ErrorCode.ABORTED,
                    "another request has continued or ended this upload; ask for its state");
        }
    }

    /** Makes the object visible, in the same commit in which the upload becomes complete. */
    BlobObject complete(Upload upload, BlobObject.Content content) {
        Upload.Target target = upload.target();
        Bucket bucket = buckets.get(target.bucket());
        return store.putObject(
                bucket,
                target.object(),
                content,
                target.wanted(),
                (change, object) -> {
                    requireUnchanged(change, upload);
                    change.put(
                            BlobRows.upload(upload.id()),
                            upload.completed(object.generation()).encode());
                    if (content.parts().isEmpty()) {
                        Versions.release(
                                change,
                                upload.progress().content(),
                                reference(upload),
                                store.now());
                    } else {
                        change.delete(reference(upload));
                    }
                });
    }

    /** Cancels an upload, complete or not; a complete one stays an object. */
    public void cancel(Upload upload) {
        UploadWriter writer = running.remove(upload.id());
        if (writer != null) {
            writer.supersede();
        }
        end(store, upload.target().project(), upload.id());
    }

    /** Removes an upload, and what it has received unless it is complete. */
    static void end(BlobStore store, String project, String id) {
        byte[] key = BlobRows.upload(id);
        RowChange.commit(
                store.database(project),
                change -> {
                    Row row = change.get(key);
                    if (row != null) {
                        Upload current = Upload.of(project, id, row.value());
                        change.delete(key);
                        if (!current.complete()) {
                            Versions.release(
                                    change,
                                    current.progress().content(),
                                    reference(current),
                                    store.now());
                        }
                    }
                    return id;
                });
    }
}
