package petrichor.movement;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Counts the bytes read through it, for progress bars. The count may be read by another thread. */
final class CountingStream extends FilterInputStream {
    private volatile long count;

    CountingStream(InputStream in) {
        super(in);
    }

    long count() {
        return count;
    }

    @Override
    public int read() throws IOException {
        int read = super.read();
        if (read >= 0) {
            advance(1);
        }
        return read;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        int read = super.read(into, offset, length);
        if (read > 0) {
            advance(read);
        }
        return read;
    }

    // Only one thread reads, so += is not a race.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    private void advance(int bytes) {
        count += bytes;
    }
}
