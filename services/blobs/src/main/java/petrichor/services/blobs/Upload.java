package petrichor.services.blobs;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;
import petrichor.services.blobs.content.ContentId;
import petrichor.services.blobs.stored.StoredChecksums;
import petrichor.services.blobs.stored.StoredUpload;

/**
 * A resumable upload as stored.
 *
 * @param id unpredictable: a client that knows it may continue the upload
 * @param size announced by the client; null if unknown
 * @param expiresMicros microseconds since 1970
 * @param generation of the object once the upload is complete; 0 before
 */
public record Upload(
        Target target,
        String id,
        Progress progress,
        @Nullable Long size,
        long expiresMicros,
        long generation) {
    /** The object that is uploaded. */
    public record Target(String project, String bucket, String object, NewObject wanted) {}

    /**
     * The durable part.
     *
     * @param received bytes, a multiple of the granule
     * @param crc32c of them
     */
    record Progress(ContentId content, long received, int crc32c) {}

    public long received() {
        return progress.received();
    }

    public boolean complete() {
        return generation != 0;
    }

    Upload with(Progress other) {
        return new Upload(target, id, other, size, expiresMicros, generation);
    }

    Upload completed(long asGeneration) {
        return new Upload(target, id, progress, size, expiresMicros, asGeneration);
    }

    byte[] encode() {
        NewObject wanted = target.wanted();
        StoredChecksums.Builder expected =
                StoredChecksums.newBuilder().setMd5(wanted.expected().md5());
        if (wanted.expected().crc32c() != null) {
            expected.setCrc32C(wanted.expected().crc32c());
        }
        StoredUpload.Builder stored =
                StoredUpload.newBuilder()
                        .setBucket(target.bucket())
                        .setObject(target.object())
                        .setAttributes(StoredRows.stored(wanted.attributes()))
                        .setPreconditions(StoredRows.stored(wanted.conditions()))
                        .setExpected(expected)
                        .setContent(ByteString.copyFrom(progress.content().bytes()))
                        .setReceived(progress.received())
                        .setCrc32C(progress.crc32c())
                        .setExpiresMicros(expiresMicros)
                        .setGeneration(generation);
        if (size != null) {
            stored.setSize(size);
        }
        return stored.build().toByteArray();
    }

    static Upload of(String project, String id, byte[] value) {
        StoredUpload stored = StoredRows.parse(StoredUpload.parser(), value);
        StoredChecksums expected = stored.getExpected();
        NewObject wanted =
                new NewObject(
                        StoredRows.attributes(stored.getAttributes()),
                        StoredRows.preconditions(stored.getPreconditions()),
                        new ExpectedChecksums(
                                expected.hasCrc32C() ? expected.getCrc32C() : null,
                                expected.getMd5()));
        return new Upload(
                new Target(project, stored.getBucket(), stored.getObject(), wanted),
                id,
                new Progress(
                        ContentId.of(project, stored.getContent().toByteArray()),
                        stored.getReceived(),
                        stored.getCrc32C()),
                stored.hasSize() ? stored.getSize() : null,
                stored.getExpiresMicros(),
                stored.getGeneration());
    }
}
