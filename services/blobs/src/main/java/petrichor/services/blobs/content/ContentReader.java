package petrichor.services.blobs.content;

import org.jspecify.annotations.Nullable;

/** Reads a range of a content, piece by piece. Confined to one thread. */
public interface ContentReader extends AutoCloseable {
    /** The next bytes, at most {@link BlobContent#GRANULE_BYTES}; null at the end of the range. */
    byte @Nullable [] next();

    @Override
    void close();
}
