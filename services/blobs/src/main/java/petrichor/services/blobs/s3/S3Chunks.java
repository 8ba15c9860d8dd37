package petrichor.services.blobs.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.services.blobs.content.ContentId;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * The chunks of contents, an object each: {@code PREFIX/pPROJECT/ID/NUMBER}, with ID and NUMBER in
 * hexadecimal digits. Thread-safe.
 */
final class S3Chunks implements AutoCloseable {
    /** No project is called {@code p}…, so that {@code ..} is a name like any other. */
    private static final String PROJECT_PREFIX = "p";

    private static final int ID_DIGITS = 2 * ContentId.BYTES;
    private static final Duration CALL_WITHIN = Duration.ofSeconds(60);
    private static final Duration ATTEMPT_WITHIN = Duration.ofSeconds(20);
    private static final int NOT_SATISFIABLE = 416;

    private final S3Address address;
    private final S3Client client;

    S3Chunks(S3Address address) {
        this.address = address;
        this.client = S3Connection.open(address, CALL_WITHIN, ATTEMPT_WITHIN);
    }

    private String folder(String project) {
        return address.key(PROJECT_PREFIX + project + "/");
    }

    private String folder(ContentId id) {
        return folder(id.project()) + HexFormat.of().formatHex(id.bytes()) + "/";
    }

    private String key(ContentId id, long number) {
        return folder(id) + HexFormat.of().toHexDigits(number);
    }

    /** Replaces a chunk; durable on return. */
    void put(ContentId id, long number, byte[] bytes, int length) {
        try {
            client.putObject(
                    request -> request.bucket(address.bucket()).key(key(id, number)),
                    RequestBody.fromByteBuffer(ByteBuffer.wrap(bytes, 0, length)));
        } catch (SdkException failed) {
            throw failure("write", key(id, number), failed);
        }
    }

    /** Fills the buffer with the bytes of a chunk from a position; returns how many there are. */
    int get(ContentId id, long number, long from, byte[] into, int length) {
        String key = key(id, number);
        String range = "bytes=" + from + "-" + (from + length - 1);
        try (ResponseInputStream<GetObjectResponse> in =
                client.getObject(
                        request -> request.bucket(address.bucket()).key(key).range(range))) {
            return in.readNBytes(into, 0, length);
        } catch (NoSuchKeyException missing) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    missing,
                    "{key} is missing in the bucket {bucket}; restore the object from a copy",
                    "key",
                    key,
                    "bucket",
                    address.bucket());
        } catch (S3Exception failed) {
            if (failed.statusCode() == NOT_SATISFIABLE) {
                return 0;
            }
            throw failure("read", key, failed);
        } catch (SdkException | IOException failed) {
            throw failure("read", key, failed);
        }
    }

    /** One request for each chunk: not every server knows deletions of several objects. */
    void delete(ContentId id) {
        String folder = folder(id);
        try {
            for (S3Object chunk : below(folder)) {
                client.deleteObject(request -> request.bucket(address.bucket()).key(chunk.key()));
            }
        } catch (SdkException failed) {
            throw failure("delete", folder, failed);
        }
    }

    private Iterable<S3Object> below(String folder) {
        return client.listObjectsV2Paginator(
                        request -> request.bucket(address.bucket()).prefix(folder))
                .contents();
    }

    /** The contents of a project, with the time at which a chunk of each was written last. */
    Map<ContentId, Instant> list(String project) {
        String folder = folder(project);
        Map<String, Instant> changed = new TreeMap<>();
        try {
            for (S3Object chunk : below(folder)) {
                String name = chunk.key().substring(folder.length());
                if (name.indexOf('/') == ID_DIGITS) {
                    changed.merge(
                            name.substring(0, ID_DIGITS),
                            chunk.lastModified(),
                            (one, other) -> one.isAfter(other) ? one : other);
                }
            }
        } catch (SdkException failed) {
            throw failure("list", folder, failed);
        }
        Map<ContentId, Instant> found = new LinkedHashMap<>();
        changed.forEach(
                (id, time) -> found.put(ContentId.of(project, HexFormat.of().parseHex(id)), time));
        return found;
    }

    private PetrichorException failure(String action, String key, Exception failed) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                failed,
                "cannot {action} {key} in the bucket {bucket}: {reason}",
                "action",
                action,
                "key",
                key,
                "bucket",
                address.bucket(),
                "reason",
                String.valueOf(failed.getMessage()));
    }

    @Override
    public void close() {
        client.close();
    }
}
