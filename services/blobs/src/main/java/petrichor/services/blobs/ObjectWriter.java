package petrichor.services.blobs;

import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.OverQuota;
import petrichor.base.PetrichorException;
import petrichor.services.blobs.content.Checksums;
import petrichor.services.blobs.content.ContentId;
import petrichor.services.blobs.content.ContentWriter;

/**
 * Writes a new object. It becomes visible, completely, when {@link #finish} returns; otherwise
 * nothing of it does. Confined to one thread.
 */
public final class ObjectWriter implements AutoCloseable {
    private final BlobStore store;
    private final Bucket bucket;
    private final String name;
    private final NewObject wanted;
    private final ContentId id;
    private final ContentWriter writer;
    private final Checksums checksums = new Checksums();
    private long bytes;
    private boolean mayBeUsed;

    ObjectWriter(BlobStore store, Bucket bucket, String name, NewObject wanted) {
        this.store = store;
        this.bucket = bucket;
        this.name = name;
        this.wanted = wanted;
        this.id = store.newContent(bucket.project());
        store.written().add(id);
        this.writer = store.content().append(id, 0);
    }

    /**
     * Adds the bytes, which must not change before the next call. May block until the store accepts
     * more.
     */
    public void write(byte[] more, int offset, int length) {
        if (bytes + length > Objects.BYTES_MAX) {
            throw Objects.tooLarge();
        }
        writer.write(more, offset, length);
        checksums.update(more, offset, length);
        bytes += length;
    }

    /**
     * INVALID_ARGUMENT if the content does not have the announced checksums; FAILED_PRECONDITION if
     * a precondition does not hold (any more).
     */
    public BlobObject finish() {
        writer.finish();
        BlobObject.Content content =
                new BlobObject.Content(
                        bytes == 0 ? List.of() : List.of(new BlobObject.Part(id, bytes)),
                        checksums.crc32c(),
                        checksums.md5(),
                        0);
        wanted.expected().require(content);
        mayBeUsed = bytes > 0;
        try {
            return store.putObject(bucket, name, content, wanted, (_, _) -> {});
        } catch (PetrichorException failed) {
            // After other failures, the commit may have taken place.
            mayBeUsed &=
                    failed.code() != ErrorCode.FAILED_PRECONDITION
                            && failed.code() != ErrorCode.NOT_FOUND
                            && !OverQuota.isReasonOf(failed);
            throw failed;
        }
    }

    @Override
    public void close() {
        try (writer) {
            store.written().remove(id);
        } finally {
            if (!mayBeUsed) {
                store.content().delete(id);
            }
        }
    }
}
