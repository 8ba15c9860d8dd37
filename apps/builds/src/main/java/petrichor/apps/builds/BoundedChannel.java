package petrichor.apps.builds;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import petrichor.base.PetrichorException;

/**
 * A file of which only so many bytes may be read until {@link #unbounded}: the reader of ZIP
 * archives keeps their whole directory in memory, of which an archive can claim millions of
 * entries. Not thread-safe.
 */
final class BoundedChannel implements SeekableByteChannel {
    private final SeekableByteChannel file;
    private long bytesLeft;

    BoundedChannel(SeekableByteChannel file, long bytesMax) {
        this.file = file;
        this.bytesLeft = bytesMax;
    }

    void unbounded() {
        bytesLeft = Long.MAX_VALUE;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int read = file.read(target);
        bytesLeft -= Math.max(0, read);
        if (bytesLeft < 0) {
            throw PetrichorException.invalid(
                    "the archive's directory lists too many files: ignore files that the app does"
                            + " not need");
        }
        return read;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return file.write(source);
    }

    @Override
    public long position() throws IOException {
        return file.position();
    }

    @Override
    public SeekableByteChannel position(long position) throws IOException {
        SeekableByteChannel _ = file.position(position);
        return this;
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public SeekableByteChannel truncate(long bytes) throws IOException {
        SeekableByteChannel _ = file.truncate(bytes);
        return this;
    }

    @Override
    public boolean isOpen() {
        return file.isOpen();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
