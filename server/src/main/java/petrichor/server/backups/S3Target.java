package petrichor.server.backups;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.movement.backups.BackupTarget;
import petrichor.services.blobs.s3.S3Address;
import petrichor.services.blobs.s3.S3Connection;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Backups in a bucket with the S3 protocol. A file is an object; one that is longer than {@link
 * #PART_BYTES} is uploaded in parts, which the store joins when the file is complete: an upload
 * that ends early leaves no object. Amazon's SDK repeats requests that fail. Thread-safe; an upload
 * holds one part in memory.
 */
final class S3Target implements BackupTarget, AutoCloseable {
    static final int PART_BYTES = 16 << 20;

    private static final Duration CALL_WITHIN = Duration.ofMinutes(5);
    private static final Duration ATTEMPT_WITHIN = Duration.ofMinutes(1);
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;

    private final S3Address address;
    private final S3Client client;

    S3Target(S3Address address) {
        this(address, CALL_WITHIN, ATTEMPT_WITHIN);
    }

    S3Target(S3Address address, Duration callWithin, Duration attemptWithin) {
        this.address = address;
        this.client = S3Connection.open(address, callWithin, attemptWithin);
    }

    @Override
    public List<String> list(String folder) {
        String root = address.key("");
        String below = folder.isEmpty() ? root : address.key(folder + "/");
        List<String> names = new ArrayList<>();
        try {
            for (S3Object object :
                    client.listObjectsV2Paginator(
                                    request -> request.bucket(address.bucket()).prefix(below))
                            .contents()) {
                names.add(object.key().substring(root.length()));
            }
        } catch (SdkException | UncheckedIOException failed) {
            throw failure("list", below, failed);
        }
        names.sort(null);
        return names;
    }

    @Override
    public InputStream read(String name) {
        try {
            return client.getObject(
                    request -> request.bucket(address.bucket()).key(address.key(name)));
        } catch (SdkException | UncheckedIOException failed) {
            throw failure("read", address.key(name), failed);
        }
    }

    @Override
    public Upload write(String name) {
        return new PartUpload(address.key(name));
    }

    @Override
    public void delete(String name) {
        try {
            client.deleteObject(request -> request.bucket(address.bucket()).key(address.key(name)));
        } catch (NoSuchKeyException missing) {
            // Some stores report it.
        } catch (SdkException | UncheckedIOException failed) {
            throw failure("delete", address.key(name), failed);
        }
    }

    private PetrichorException failure(String action, String key, RuntimeException failed) {
        int status = failed instanceof S3Exception answered ? answered.statusCode() : 0;
        return PetrichorException.of(
                status == FORBIDDEN
                        ? ErrorCode.PERMISSION_DENIED
                        : status == NOT_FOUND ? ErrorCode.NOT_FOUND : ErrorCode.UNAVAILABLE,
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

    /** Without its options. */
    @Override
    public String toString() {
        return "s3://" + address.bucket() + "/" + address.prefix();
    }

    @Override
    public void close() {
        client.close();
    }

    /** An object being written. Confined to one thread. */
    private final class PartUpload extends OutputStream implements Upload {
        private final String key;
        private final ByteArrayOutputStream part = new ByteArrayOutputStream();
        private final List<CompletedPart> parts = new ArrayList<>();
        private @Nullable String upload;
        private long bytes;
        private boolean complete;

        PartUpload(String key) {
            this.key = key;
        }

        @Override
        public OutputStream stream() {
            return this;
        }

        @Override
        public void write(int one) {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] some, int offset, int length) {
            part.write(some, offset, length);
            bytes += length;
            if (part.size() >= PART_BYTES) {
                send();
            }
        }

        private void send() {
            try {
                if (upload == null) {
                    upload =
                            client.createMultipartUpload(
                                            request -> request.bucket(address.bucket()).key(key))
                                    .uploadId();
                }
                String id = upload;
                int number = parts.size() + 1;
                String tag =
                        client.uploadPart(
                                        request ->
                                                request.bucket(address.bucket())
                                                        .key(key)
                                                        .uploadId(id)
                                                        .partNumber(number),
                                        RequestBody.fromBytes(part.toByteArray()))
                                .eTag();
                parts.add(CompletedPart.builder().partNumber(number).eTag(tag).build());
                part.reset();
            } catch (SdkException | UncheckedIOException failed) {
                throw failure("write", key, failed);
            }
        }

        @Override
        public void complete() {
            if (upload != null && part.size() > 0) {
                send();
            }
            String id = upload;
            try {
                if (id == null) {
                    client.putObject(
                            request -> request.bucket(address.bucket()).key(key),
                            RequestBody.fromBytes(part.toByteArray()));
                } else {
                    client.completeMultipartUpload(
                            request ->
                                    request.bucket(address.bucket())
                                            .key(key)
                                            .uploadId(id)
                                            .multipartUpload(all -> all.parts(parts)));
                }
                requireStored();
            } catch (SdkException | UncheckedIOException failed) {
                throw failure("write", key, failed);
            }
            complete = true;
        }

        private void requireStored() {
            long stored =
                    client.headObject(request -> request.bucket(address.bucket()).key(key))
                            .contentLength();
            if (stored != bytes) {
                throw PetrichorException.of(
                        ErrorCode.UNAVAILABLE,
                        "The bucket {bucket} has stored {storedBytes} of {bytes} bytes of {key};"
                                + " repeat the backup.",
                        "bucket",
                        address.bucket(),
                        "storedBytes",
                        stored,
                        "bytes",
                        bytes,
                        "key",
                        key);
            }
        }

        @Override
        public void close() {
            String id = upload;
            if (!complete && id != null) {
                try {
                    client.abortMultipartUpload(
                            request -> request.bucket(address.bucket()).key(key).uploadId(id));
                } catch (SdkException | UncheckedIOException unreachable) {
                    // The store deletes parts by its own rules; there is no object.
                }
                upload = null;
            }
        }
    }
}
