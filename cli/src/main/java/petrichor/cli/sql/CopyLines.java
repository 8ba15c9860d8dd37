package petrichor.cli.sql;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The rows of {@code COPY … FROM STDIN} that follow in the input, up to a line {@code \.}. */
final class CopyLines extends InputStream {
    private static final String END = "\\.";

    private final LineSource source;
    private byte[] line = {};
    private int at;
    private boolean ended;

    CopyLines(LineSource source) {
        this.source = source;
    }

    /** Reads the rows that are left, so that they are not read as statements. */
    void skip() throws IOException {
        while (more()) {
            at = line.length;
        }
    }

    private boolean more() throws IOException {
        while (!ended && at == line.length) {
            String next = source.next("", LineSource.Purpose.DATA);
            if (next == null || next.equals(END)) {
                ended = true;
            } else {
                line = (next + "\n").getBytes(StandardCharsets.UTF_8);
                at = 0;
            }
        }
        return !ended;
    }

    @Override
    public int read() throws IOException {
        return more() ? line[at++] & 0xFF : -1;
    }

    @Override
    public int read(byte[] into, int from, int count) throws IOException {
        if (count == 0) {
            return 0;
        }
        if (!more()) {
            return -1;
        }
        int taken = Math.min(count, line.length - at);
        System.arraycopy(line, at, into, from, taken);
        at += taken;
        return taken;
    }
}
