package petrichor.cli.console;

import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Standard output that fails if it cannot be written; {@link System#out} only sets an error flag.
 * Confined to one thread.
 */
public final class StandardOutput extends OutputStream {
    private static final int BUFFER_BYTES = 1 << 13;

    /** A stream for {@link System#setOut} that remembers the reason of its failure. */
    public static PrintStream open(OutputStream to) {
        return new Remembering(new Failures(to));
    }

    /** Whether the reader of standard output has ended, such as {@code head}. */
    public static boolean readerEnded() {
        return System.out instanceof Remembering out && out.to.readerEnded();
    }

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

    /** Flushes, and fails if the output could not be written. */
    public static void requireTaken() throws IOException {
        if (System.out.checkError()) {
            throw new IOException(
                    readerEnded()
                            ? "the reader of standard output has ended"
                            : "standard output cannot be written: is the disk full?");
        }
    }

    private static final class Remembering extends PrintStream {
        private final Failures to;

        private Remembering(Failures to) {
            super(new BufferedOutputStream(to, BUFFER_BYTES), true, StandardCharsets.UTF_8);
            this.to = to;
        }
    }

    private static final class Failures extends FilterOutputStream {
        private @Nullable IOException first;

        private Failures(OutputStream to) {
            super(to);
        }

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            try {
                out.write(bytes, from, count);
            } catch (IOException failed) {
                first = first == null ? failed : first;
                throw failed;
            }
        }

        /** Detects EPIPE, for which Java has no exception type. */
        private boolean readerEnded() {
            return first != null
                    && String.valueOf(first.getMessage())
                            .toLowerCase(Locale.ROOT)
                            .contains("broken pipe");
        }
    }
}
