package petrichor.server.backups;

import com.google.api.client.http.InputStreamContent;
import com.google.api.services.storage.Storage;
import com.google.api.services.storage.model.StorageObject;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.zip.CRC32C;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.movement.backups.BackupTarget;

/**
 * An object being written: what the writer writes flows through a pipe to a thread that sends it in
 * chunks. Without {@link #complete}, the pipe ends with a failure, so that the last chunk is never
 * sent and no object appears. Confined to one thread.
 */
final class CloudStorageUpload implements BackupTarget.Upload {
    /** Of a request; Google's client keeps one in memory until it is stored. */
    static final int CHUNK_BYTES = 8 << 20;

    private static final int PIPE_BYTES = 256 << 10;

    private final CloudStorageTarget target;
    private final String object;
    private final Counted out;
    private final CompletableFuture<StorageObject> sent = new CompletableFuture<>();
    private volatile boolean complete;
    private boolean ended;

    CloudStorageUpload(CloudStorageTarget target, Storage client, String bucket, String object) {
        this.target = target;
        this.object = object;
        PipedInputStream in = new PipedInputStream(PIPE_BYTES);
        try {
            this.out = new Counted(new PipedOutputStream(in));
        } catch (IOException connected) {
            throw new IllegalStateException(connected);
        }
        Thread.ofVirtual()
                .name("cloud-storage-upload")
                .start(
                        () -> {
                            try (InputStream content = new Complete(in)) {
                                sent.complete(send(client, bucket, content));
                            } catch (IOException | RuntimeException failed) {
                                sent.completeExceptionally(failed);
                            }
                        });
    }

    private StorageObject send(Storage client, String bucket, InputStream content)
            throws IOException {
        Storage.Objects.Insert insert =
                client.objects()
                        .insert(
                                bucket,
                                new StorageObject().setName(object),
                                new InputStreamContent("application/octet-stream", content));
        // Segments are compressed.
        insert.getMediaHttpUploader().setChunkSize(CHUNK_BYTES).setDisableGZipContent(true);
        return insert.execute();
    }

    @Override
    public OutputStream stream() {
        return out;
    }

    @Override
    public void complete() {
        complete = true;
        ended = true;
        try {
            out.close();
        } catch (IOException broken) {
            // The sender reports its failure.
        }
        StorageObject stored = stored();
        String checksum =
                Base64.getEncoder()
                        .encodeToString(
                                ByteBuffer.allocate(Integer.BYTES)
                                        .putInt((int) out.checksum.getValue())
                                        .array());
        boolean same = stored.getCrc32c() == null || stored.getCrc32c().equals(checksum);
        if (stored.getSize() == null || stored.getSize().longValue() != out.bytes || !same) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "Cloud Storage has stored {storedBytes} of {bytes} bytes of {object}, or other"
                            + " bytes; repeat the backup.",
                    "storedBytes",
                    String.valueOf(stored.getSize()),
                    "bytes",
                    out.bytes,
                    "object",
                    object);
        }
    }

    private StorageObject stored() {
        try {
            return sent.join();
        } catch (CompletionException failed) {
            Throwable cause = failed.getCause();
            throw failure(cause == null ? failed : cause);
        }
    }

    private RuntimeException failure(Throwable cause) {
        return switch (cause) {
            case IOException failed -> target.failure("write", object, failed);
            case RuntimeException failed -> failed;
            default -> new IllegalStateException(cause);
        };
    }

    @Override
    public void close() {
        if (ended) {
            return;
        }
        ended = true;
        try {
            out.close();
        } catch (IOException broken) {
            // Nothing more is sent.
        }
        var _ = sent.handle((_, _) -> "ended").join();
    }

    /** What was written. A failure of the sender is that of the next write. */
    private final class Counted extends FilterOutputStream {
        private final CRC32C checksum = new CRC32C();
        private long bytes;

        Counted(OutputStream pipe) {
            super(pipe);
        }

        @Override
        public void write(int one) {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] some, int offset, int length) {
            try {
                out.write(some, offset, length);
            } catch (IOException broken) {
                throw sent.isCompletedExceptionally()
                        ? failure(sent.exceptionNow())
                        : target.failure("write", object, broken);
            }
            checksum.update(some, offset, length);
            bytes += length;
        }
    }

    /** The end of the pipe is a failure unless the upload is complete. */
    private final class Complete extends FilterInputStream {
        Complete(InputStream pipe) {
            super(pipe);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int count = super.read(into, offset, length);
            if (count < 0 && !complete) {
                throw new IOException("the upload was abandoned");
            }
            return count;
        }
    }
}
