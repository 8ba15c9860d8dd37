package petrichor.apps.router.files;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The body of a response, read block by block: the next block is read when the client has taken the
 * one before. Not thread-safe; one call at a time.
 */
public sealed interface FileBody extends AutoCloseable {
    /** One block. */
    int BLOCK_BYTES = 64 << 10;

    /** No body. */
    FileBody NONE = new Memory(new byte[0], 0, 0);

    static FileBody memory(byte[] content, int from, int bytes) {
        return new Memory(content, from, bytes);
    }

    static FileBody disk(StaticFiles files, Path path, long from, long bytes) {
        return new Disk(files, path, from, bytes);
    }

    static FileBody gzip(StaticFiles files, Path path) {
        return new Gzip(files, path);
    }

    @Override
    void close();

    /** A body in memory, which is sent as it is. */
    record Memory(byte[] content, int from, int bytes) implements FileBody {
        @Override
        public void close() {
            // nothing is open
        }
    }

    /** A body that is read. */
    sealed interface Read extends FileBody {
        /** The next block; empty at the end. */
        CompletableFuture<ByteBuffer> next();
    }

    /** A part of a file. */
    final class Disk implements Read {
        private final StaticFiles files;
        private final Path path;
        private long position;
        private long left;
        private @Nullable FileChannel channel;
        private boolean closed;

        private Disk(StaticFiles files, Path path, long from, long bytes) {
            this.files = files;
            this.path = path;
            this.position = from;
            this.left = bytes;
        }

        @Override
        public CompletableFuture<ByteBuffer> next() {
            return files.read(this::block);
        }

        private synchronized ByteBuffer block() throws IOException {
            ByteBuffer block = ByteBuffer.allocate((int) Math.min(BLOCK_BYTES, left));
            if (closed) {
                throw new IOException("the response was aborted");
            }
            if (channel == null) {
                channel = openFile(path);
            }
            while (block.hasRemaining()) {
                int read = channel.read(block, position);
                if (read < 0) {
                    throw new IOException("the file became shorter while it was sent");
                }
                position += read;
                left -= read;
            }
            return block.flip();
        }

        @Override
        public synchronized void close() {
            closed = true;
            closeFile(channel);
        }
    }

    /** A complete file, compressed. */
    final class Gzip implements Read {
        private final StaticFiles files;
        private final Path path;
        private final ByteArrayOutputStream compressed = new ByteArrayOutputStream(BLOCK_BYTES);
        private @Nullable GZIPOutputStream gzip;
        private @Nullable FileChannel channel;
        private boolean atEnd;
        private boolean closed;

        private Gzip(StaticFiles files, Path path) {
            this.files = files;
            this.path = path;
        }

        @Override
        public CompletableFuture<ByteBuffer> next() {
            return files.read(this::block);
        }

        private synchronized ByteBuffer block() throws IOException {
            if (closed) {
                throw new IOException("the response was aborted");
            }
            if (channel == null || gzip == null) {
                channel = openFile(path);
                gzip = new GZIPOutputStream(compressed);
            }
            byte[] plain = new byte[BLOCK_BYTES];
            while (!atEnd && compressed.size() < BLOCK_BYTES) {
                int read = channel.read(ByteBuffer.wrap(plain));
                if (read < 0) {
                    atEnd = true;
                    gzip.finish();
                } else {
                    gzip.write(plain, 0, read);
                }
            }
            ByteBuffer block = ByteBuffer.wrap(compressed.toByteArray());
            compressed.reset();
            return block;
        }

        @Override
        public synchronized void close() {
            closed = true;
            closeFile(channel);
            if (gzip != null) {
                try {
                    gzip.close();
                } catch (IOException impossible) {
                    throw new IllegalStateException("its stream is in memory", impossible);
                }
            }
        }
    }

    private static FileChannel openFile(Path path) throws IOException {
        // the path is real; a link that replaced it since then is not followed
        return FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    }

    private static void closeFile(@Nullable FileChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException lost) {
                // it was only read
            }
        }
    }
}
