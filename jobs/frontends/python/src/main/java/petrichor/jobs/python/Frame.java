package petrichor.jobs.python;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import petrichor.jobs.records.Words;

/**
 * A message between a subtask and its worker: a kind (one ASCII character), three zero bytes, the
 * length of the content (int32, little-endian), the content.
 */
record Frame(Kind kind, byte[] content) {
    /**
     * A record has at most 16 MB: large enough for a batch with one pair of records, small enough
     * to detect a corrupt length.
     */
    static final int CONTENT_BYTES_MAX = 256 << 20;

    private static final int HEADER_BYTES = 8;

    enum Kind {
        /** To a worker, first: its function and types (JSON). */
        SETUP('S'),
        /** Records: to a worker as {@link Batches} writes them, from it one Arrow message. */
        BATCH('B'),
        /** To a worker: end of the records. From it: end of the results. */
        END('E'),
        /** From a worker: acknowledges a batch. */
        TAKEN('T'),
        /** From a worker, last: the author's function failed (JSON). */
        FAILED('F'),
        /** Never sent: the worker has ended (how, as text). */
        GONE('G');

        private final char letter;

        Kind(char letter) {
            this.letter = letter;
        }

        private static Kind of(int letter) throws IOException {
            for (var kind : values()) {
                if (kind.letter == letter && kind != GONE) {
                    return kind;
                }
            }
            throw new IOException("a frame of unknown type " + letter);
        }
    }

    static Frame of(Kind kind, String text) {
        return new Frame(kind, text.getBytes(StandardCharsets.UTF_8));
    }

    String text() {
        return new String(content, StandardCharsets.UTF_8);
    }

    void write(OutputStream out) throws IOException {
        byte[] header = new byte[HEADER_BYTES];
        header[0] = (byte) kind.letter;
        Words.int32(header, 4, content.length);
        out.write(header);
        out.write(content);
        out.flush();
    }

    /** Reads the next frame; fails with {@link EOFException} at the end. */
    static Frame read(InputStream in) throws IOException {
        var data = new DataInputStream(in);
        byte[] header = new byte[HEADER_BYTES];
        data.readFully(header);
        var kind = Kind.of(header[0]);
        int length = Words.int32(header, 4);
        if (length < 0 || length > CONTENT_BYTES_MAX) {
            throw new IOException(
                    "a frame of "
                            + length
                            + " bytes exceeds the limit of "
                            + CONTENT_BYTES_MAX
                            + "; return smaller batches from the function");
        }
        byte[] content = new byte[length];
        data.readFully(content);
        return new Frame(kind, content);
    }
}
