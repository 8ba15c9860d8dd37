package petrichor.services.blobs;

import java.util.List;
import petrichor.services.blobs.content.ContentId;

/** An object of a bucket. Immutable. */
public record BlobObject(
        String bucket, String name, Version version, Content content, ObjectAttributes attributes) {
    /**
     * The content of an object: the bytes of its parts, one after the other.
     *
     * @param crc32c of all bytes
     * @param md5 of all bytes, in base64; empty if the object was composed
     * @param components objects of which it was composed; 0 if it was uploaded
     */
    public record Content(List<Part> parts, int crc32c, String md5, int components) {
        public Content {
            parts = List.copyOf(parts);
        }

        public long bytes() {
            return parts.stream().mapToLong(Part::bytes).sum();
        }
    }

    /** A complete content, which may belong to several objects. */
    public record Part(ContentId id, long bytes) {}

    public long generation() {
        return version.generation();
    }

    public long bytes() {
        return content.bytes();
    }

    BlobObject with(Version other) {
        return new BlobObject(bucket, name, other, content, attributes);
    }
}
