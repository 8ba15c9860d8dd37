package petrichor.services.blobs.content;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Writes a content's file, a block at a time. Asks the system for a sync every few MiB, in the
 * background, so that the last one has little left to do.
 */
final class FileWriter implements ContentWriter {
    private static final long SYNC_EVERY_BYTES = 4L << 20;

    private final Path file;
    private final Path folder;
    private final FileChannel channel;
    private final boolean created;
    private final byte[] frame = new byte[Blocks.FRAME_BYTES];
    private int filled;
    private long block;
    private long unsyncedBytes;
    private @Nullable CompletableFuture<Void> syncing;

    FileWriter(Path file, Path folder, FileChannel channel, long block) throws IOException {
        this.file = file;
        this.folder = folder;
        this.channel = channel;
        this.block = block;
        this.created = block == 0;
        try {
            channel.truncate(Blocks.position(block));
            if (channel.size() < Blocks.position(block)) {
                throw new IOException("it has " + channel.size() + " bytes, fewer than finished");
            }
        } catch (IOException failed) {
            channel.close();
            throw failed;
        }
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        int at = offset;
        int left = length;
        while (left > 0) {
            int part = Math.min(left, BlobContent.GRANULE_BYTES - filled);
            System.arraycopy(bytes, at, frame, filled, part);
            filled += part;
            at += part;
            left -= part;
            if (filled == BlobContent.GRANULE_BYTES) {
                writeBlock();
            }
        }
    }

    private void writeBlock() {
        Blocks.seal(frame, filled);
        ByteBuffer out = ByteBuffer.wrap(frame, 0, filled + Blocks.CHECKSUM_BYTES);
        try {
            long position = Blocks.position(block);
            while (out.hasRemaining()) {
                position += channel.write(out, position);
            }
        } catch (IOException failed) {
            throw FolderContent.failure("write", file, failed);
        }
        block++;
        unsyncedBytes += filled;
        filled = 0;
        if (unsyncedBytes >= SYNC_EVERY_BYTES) {
            awaitSync();
            unsyncedBytes = 0;
            syncing =
                    CompletableFuture.runAsync(this::sync, task -> Thread.startVirtualThread(task));
        }
    }

    private void sync() {
        try {
            channel.force(false);
        } catch (IOException failed) {
            throw FolderContent.failure("sync", file, failed);
        }
    }

    private void awaitSync() {
        CompletableFuture<Void> started = syncing;
        syncing = null;
        if (started == null) {
            return;
        }
        try {
            started.join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }

    @Override
    public void finish() {
        if (filled > 0) {
            writeBlock();
        }
        awaitSync();
        try {
            channel.force(true);
            if (created) {
                FolderContent.sync(folder);
            }
        } catch (IOException failed) {
            throw FolderContent.failure("sync", file, failed);
        }
    }

    @Override
    public void close() {
        try (channel) {
            awaitSync();
        } catch (IOException failed) {
            throw FolderContent.failure("close", file, failed);
        }
    }
}
