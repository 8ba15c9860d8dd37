package petrichor.cli;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Standard output that says when nobody takes what is written: {@link System#out} only remembers
 * it. Belongs to one thread.
 */
final class StandardOutput extends OutputStream {
    @Override
    public void write(int one) throws IOException {
        System.out.write(one);
        requireTaken();
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
        System.out.write(bytes, from, count);
        requireTaken();
    }

    @Override
    public void flush() throws IOException {
        requireTaken();
    }

    /** Flushes, too. */
    static void requireTaken() throws IOException {
        if (System.out.checkError()) {
            throw new IOException(
                    "standard output takes no more: the disk is full or its reader has ended");
        }
    }
}
