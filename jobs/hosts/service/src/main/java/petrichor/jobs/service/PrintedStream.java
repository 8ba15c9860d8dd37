package petrichor.jobs.service;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Captures standard output of a job's code, in chunks of whole lines where they are short enough.
 * Safe for all threads.
 */
final class PrintedStream extends OutputStream {
    /** A chunk ends after this many bytes even without a line break. */
    static final int PIECE_BYTES_MAX = 8_192;

    private final Consumer<String> to;
    private final ByteArrayOutputStream piece = new ByteArrayOutputStream();

    PrintedStream(Consumer<String> to) {
        this.to = to;
    }

    @Override
    public synchronized void write(int value) {
        piece.write(value);
        if (piece.size() >= PIECE_BYTES_MAX && isWhole(value)) {
            send();
        }
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            write(bytes[i]);
        }
    }

    /**
     * Whether a chunk may end after this byte: not within a multi-byte character, up to a limit.
     */
    private boolean isWhole(int value) {
        boolean ends = (value & 0x80) == 0;
        return ends || piece.size() >= PIECE_BYTES_MAX + 4;
    }

    /** Sends whole lines; an incomplete line waits for its end, or for {@link #end}. */
    @Override
    public synchronized void flush() {
        byte[] all = piece.toByteArray();
        int lines = all.length;
        while (lines > 0 && all[lines - 1] != '\n') {
            lines--;
        }
        if (lines > 0) {
            to.accept(new String(all, 0, lines, StandardCharsets.UTF_8));
            piece.reset();
            piece.write(all, lines, all.length - lines);
        }
    }

    /** Sends everything that was printed. */
    synchronized void end() {
        send();
    }

    private void send() {
        if (piece.size() > 0) {
            to.accept(piece.toString(StandardCharsets.UTF_8));
            piece.reset();
        }
    }
}
