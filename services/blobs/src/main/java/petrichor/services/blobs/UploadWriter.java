package petrichor.services.blobs;

import java.security.MessageDigest;
import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.services.blobs.content.BlobContent;
import petrichor.services.blobs.content.Checksums;
import petrichor.services.blobs.content.ContentId;
import petrichor.services.blobs.content.ContentReader;
import petrichor.services.blobs.content.ContentWriter;

/**
 * Receives the bytes of one request of a resumable upload. Ends with {@link #suspend} or {@link
 * #complete}; otherwise what it wrote is discarded. Used by one thread; only {@link #supersede} may
 * be called by another one, which then waits for a write that is under way.
 */
public final class UploadWriter implements AutoCloseable {
    private final BlobStore store;
    private final Uploads uploads;
    private final Upload upload;
    private final ContentWriter writer;
    private final Checksums checksums;
    private long skip;
    private long position;
    private final ContentId content;
    private long granuleEnd;
    private Checksums.Mark atGranule;
    private boolean superseded;

    UploadWriter(BlobStore store, Uploads uploads, Upload upload, long from) {
        this.store = store;
        this.uploads = uploads;
        this.upload = upload;
        this.position = upload.received();
        this.skip = position - from;
        this.content = upload.progress().content();
        this.granuleEnd = position;
        this.checksums =
                new Checksums(
                        upload.progress().crc32c(), uploads.digests().get(upload.id(), position));
        this.atGranule = checksums.mark();
        this.writer = store.content().append(content, position);
    }

    String id() {
        return upload.id();
    }

    /** Bytes of the object up to here, including those received before. */
    public synchronized long position() {
        return position;
    }

    /** Another request continues the upload: from now on this one fails with ABORTED. */
    synchronized void supersede() {
        superseded = true;
    }

    private void requireCurrent() {
        if (superseded) {
            throw PetrichorException.of(
                    ErrorCode.ABORTED, "another request has continued or cancelled this upload");
        }
    }

    /**
     * Adds the bytes, except those that were received before. They must not change before the next
     * call.
     */
    public synchronized void write(byte[] bytes, int offset, int length) {
        requireCurrent();
        int skipped = (int) Math.min(skip, length);
        skip -= skipped;
        int at = offset + skipped;
        int end = offset + length;
        while (at < end) {
            int inGranule = (int) (position % BlobContent.GRANULE_BYTES);
            int part = Math.min(end - at, BlobContent.GRANULE_BYTES - inGranule);
            writer.write(bytes, at, part);
            checksums.update(bytes, at, part);
            at += part;
            position += part;
            if (position % BlobContent.GRANULE_BYTES == 0) {
                granuleEnd = position;
                atGranule = checksums.mark();
            }
            if (position > Objects.BYTES_MAX) {
                throw Objects.tooLarge();
            }
        }
    }

    /** Keeps what has arrived, down to a multiple of the granule, for the next request. */
    public synchronized Upload suspend() {
        requireCurrent();
        writer.finish();
        Upload after =
                uploads.advance(
                        upload, new Upload.Progress(content, granuleEnd, atGranule.crc32c()));
        MessageDigest md5 = atGranule.md5State();
        if (md5 != null) {
            uploads.digests().put(upload.id(), granuleEnd, md5);
        }
        return after;
    }

    /** Makes the object visible. Fails like {@link ObjectWriter#finish}. */
    public BlobObject complete() {
        return complete(ExpectedChecksums.NONE);
    }

    /**
     * Makes the object visible.
     *
     * @param announced with the last bytes, in addition to those of the upload
     */
    public synchronized BlobObject complete(ExpectedChecksums announced) {
        requireCurrent();
        if (upload.size() != null && upload.size() != position) {
            throw PetrichorException.invalid(
                    "The upload has {received} bytes, but {announced} were announced.",
                    "received",
                    position,
                    "announced",
                    upload.size());
        }
        writer.finish();
        BlobObject.Content whole =
                new BlobObject.Content(
                        position == 0 ? List.of() : List.of(new BlobObject.Part(content, position)),
                        checksums.crc32c(),
                        md5(),
                        0);
        upload.target().wanted().expected().require(whole);
        announced.require(whole);
        BlobObject object = uploads.complete(upload, whole);
        uploads.digests().remove(upload.id());
        return object;
    }

    private String md5() {
        String known = checksums.md5();
        if (!known.isEmpty()) {
            return known;
        }
        Checksums again = new Checksums();
        try (ContentReader reader = store.content().read(content, 0, position)) {
            for (byte[] piece = reader.next(); piece != null; piece = reader.next()) {
                again.update(piece, 0, piece.length);
            }
        }
        return again.md5();
    }

    @Override
    public void close() {
        uploads.ended(this);
        writer.close();
    }
}
