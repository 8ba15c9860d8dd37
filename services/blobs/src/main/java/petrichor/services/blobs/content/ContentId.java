package petrichor.services.blobs.content;

import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * Names a content. Ids are random and never used again.
 *
 * @param project to which it belongs
 */
public record ContentId(String project, long high, long low) {
    public static final int BYTES = 16;

    public ContentId {
        if (project.isEmpty()) {
            throw new IllegalArgumentException("a content belongs to a project");
        }
    }

    public static ContentId next(String project, RandomGenerator chance) {
        return new ContentId(project, chance.nextLong(), chance.nextLong());
    }

    /** The inverse of {@link #bytes}. */
    public static ContentId of(String project, byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("an id has 16 bytes, not " + bytes.length);
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        return new ContentId(project, in.getLong(), in.getLong());
    }

    /** Without the project. */
    public byte[] bytes() {
        return ByteBuffer.allocate(BYTES).putLong(high).putLong(low).array();
    }
}
