package petrichor.services.blobs.content;

import java.time.Duration;
import java.util.List;

/**
 * Keeps the content of objects. A content is written from its beginning to its end by one writer at
 * a time; the caller ensures that. What a writer has finished is durable. Failures are {@link
 * petrichor.base.PetrichorException}: UNAVAILABLE if the store does not answer or is full, INTERNAL
 * if the content is damaged or missing. Thread-safe.
 *
 * <p>Memory: a writer and a reader each hold at most {@link #GRANULE_BYTES}, or a few times as much
 * if the store needs several requests under way.
 */
public interface BlobContent extends AutoCloseable {
    /** An unfinished content can be continued at multiples of this size. */
    int GRANULE_BYTES = 256 << 10;

    /**
     * Continues a content; creates it if it does not exist and {@code from} is 0. Discards all
     * bytes from there on.
     *
     * @param from a multiple of {@link #GRANULE_BYTES}, at most the finished length
     */
    ContentWriter append(ContentId id, long from);

    /** Reads the bytes {@code from <= position < to}, which must be finished. */
    ContentReader read(ContentId id, long from, long to);

    /** No effect if it does not exist. */
    void delete(ContentId id);

    /** How long readers may need a content after the last object that refers to it was deleted. */
    Duration keptForReaders();

    /** All contents of a project, finished or not. */
    List<Stored> list(String project);

    /**
     * A content in the store.
     *
     * @param changedMicros when it was written last, microseconds since 1970
     */
    record Stored(ContentId id, long changedMicros) {}

    @Override
    void close();
}
