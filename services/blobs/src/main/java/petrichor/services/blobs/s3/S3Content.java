package petrichor.services.blobs.s3;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import petrichor.services.blobs.content.BlobContent;
import petrichor.services.blobs.content.Blocks;
import petrichor.services.blobs.content.ContentId;
import petrichor.services.blobs.content.ContentReader;
import petrichor.services.blobs.content.ContentWriter;

/**
 * Content in an object store with the S3 protocol. A content is a sequence of chunks of a few
 * blocks; objects of such a store cannot be appended to. The bucket exists already, and its names
 * below the prefix belong to this store. Thread-safe.
 */
public final class S3Content implements BlobContent {
    /** Blocks of a chunk: a writer holds one chunk, and its requests have 1 MiB. */
    static final int CHUNK_BLOCKS = 4;

    static final int CHUNK_FRAME_BYTES = CHUNK_BLOCKS * Blocks.FRAME_BYTES;

    /** For readers that have not requested all chunks when an object is deleted. */
    private static final Duration KEPT = Duration.ofHours(1);

    private final S3Chunks chunks;

    private S3Content(S3Chunks chunks) {
        this.chunks = chunks;
    }

    /** Does not contact the store. */
    public static S3Content open(S3Address address) {
        return new S3Content(new S3Chunks(address));
    }

    @Override
    public ContentWriter append(ContentId id, long from) {
        if (from % GRANULE_BYTES != 0) {
            throw new IllegalArgumentException("cannot continue at " + from);
        }
        return new S3Writer(chunks, id, from / GRANULE_BYTES);
    }

    @Override
    public ContentReader read(ContentId id, long from, long to) {
        return new S3Reader(chunks, id, from, to);
    }

    @Override
    public void delete(ContentId id) {
        chunks.delete(id);
    }

    @Override
    public Duration keptForReaders() {
        return KEPT;
    }

    @Override
    public List<Stored> list(String project) {
        return chunks.list(project).entrySet().stream()
                .map(
                        entry ->
                                new Stored(
                                        entry.getKey(),
                                        TimeUnit.MILLISECONDS.toMicros(
                                                entry.getValue().toEpochMilli())))
                .toList();
    }

    @Override
    public void close() {
        chunks.close();
    }
}
