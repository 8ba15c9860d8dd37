package petrichor.services.blobs;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import petrichor.services.blobs.content.BlobContent;
import petrichor.services.blobs.content.ContentId;
import petrichor.services.blobs.content.ContentReader;

/** Reads a range of an object, one part after the other. */
final class ObjectReader implements ContentReader {
    private final BlobContent content;
    private final Queue<Range> ranges = new ArrayDeque<>();
    private @Nullable ContentReader open;

    private record Range(ContentId id, long from, long to) {}

    ObjectReader(BlobContent content, List<BlobObject.Part> parts, long from, long to) {
        this.content = content;
        long start = 0;
        for (BlobObject.Part part : parts) {
            long end = start + part.bytes();
            if (end > from && start < to) {
                ranges.add(
                        new Range(part.id(), Math.max(0, from - start), Math.min(end, to) - start));
            }
            start = end;
        }
        open = openNext(); // fails before a response begins if the content is missing
    }

    private @Nullable ContentReader openNext() {
        Range range = ranges.poll();
        return range == null ? null : content.read(range.id(), range.from(), range.to());
    }

    @Override
    public byte @Nullable [] next() {
        while (open != null) {
            byte[] piece = open.next();
            if (piece != null) {
                return piece;
            }
            open.close();
            open = openNext();
        }
        return null;
    }

    @Override
    public void close() {
        if (open != null) {
            open.close();
        }
    }
}
