package petrichor.jobs.formats;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Decompresses a file from its beginning, and counts the compressed bytes read. Damaged or
 * incomplete data is an error that names the file and the compressed position. Belongs to one
 * thread.
 */
final class DecompressedInput implements AutoCloseable {
    private static final int BUFFER_BYTES = 8 << 10;

    private final String file;
    private final Compression compression;
    private final Counted compressed;
    private @Nullable InputStream decompressed;

    DecompressedInput(String file, Compression compression) throws IOException {
        this.file = file;
        this.compression = compression;
        this.compressed = new Counted(Files.newInputStream(Path.of(file)));
    }

    /** Fills the buffer as far as there is data; fewer bytes mean the end. */
    int read(byte[] bytes, int at, int length) throws IOException {
        try {
            if (decompressed == null) {
                decompressed =
                        compression.decompress(new BufferedInputStream(compressed, BUFFER_BYTES));
            }
            return decompressed.readNBytes(bytes, at, length);
        } catch (IOException e) {
            if (compressed.failed) {
                throw e;
            }
            throw new IOException(
                    file
                            + ": the "
                            + compression.title()
                            + " data is damaged or incomplete near compressed byte "
                            + compressed.count
                            + " of "
                            + Files.size(Path.of(file))
                            + " ("
                            + e.getMessage()
                            + "); restore the file or remove it from the input",
                    e);
        }
    }

    /** Compressed bytes read; up to a buffer more than needed. */
    long compressedBytes() {
        return compressed.count;
    }

    @Override
    public void close() throws IOException {
        if (decompressed == null) {
            compressed.close();
        } else {
            decompressed.close();
        }
    }

    /** Distinguishes damaged data from a failing disk. */
    private static final class Counted extends FilterInputStream {
        private long count;
        private boolean failed;

        Counted(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int at, int length) throws IOException {
            try {
                int read = super.read(bytes, at, length);
                count += Math.max(0, read);
                return read;
            } catch (IOException e) {
                failed = true;
                throw e;
            }
        }
    }
}
