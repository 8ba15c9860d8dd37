package petrichor.jobs.formats;

import java.io.IOException;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.Words;

/**
 * Reads the lines that start in a split and passes each to a parser. A line ends with LF or CR LF;
 * the last one of a file may lack it. Belongs to one thread.
 */
final class LineReader implements Source.SplitReader {
    private static final long NEWLINE = Words.pattern('\n');

    /** Lines between two checks of the engine whether the task is to stop. */
    private static final int LINES_PER_READ = 4096;

    private final FileWindow window;
    private final FileSplit split;
    private final LineFormat format;
    private boolean started;

    /** Parses a line: bytes from (inclusive) to to (exclusive), without its terminator. */
    interface LineFormat {
        void line(byte[] bytes, int from, int to, Out out);
    }

    LineReader(FileSplit split, LineFormat format) throws IOException {
        this.split = split;
        this.format = format;
        // A line starts after the previous one's end, which may be just before this split.
        this.window = new FileWindow(split, Math.max(0, split.from() - 1));
    }

    @Override
    public boolean read(Out out) throws IOException {
        if (!started) {
            started = true;
            window.more();
            if (split.from() > 0) {
                int first = lineEnd();
                window.at = Math.min(first + 1, window.end);
            }
        }
        byte[] bytes = window.bytes;
        // The compressed position does not show where the text ends.
        long left = split.isCompressed() ? Long.MAX_VALUE : split.to() - window.position();
        for (int i = 0; i < LINES_PER_READ; i++) {
            if (left <= 0) {
                return false;
            }
            int from = window.at;
            int end = Words.find(bytes, from, window.end, NEWLINE);
            if (end == window.end) {
                end = lineEnd();
                bytes = window.bytes;
                from = window.at;
                if (from == window.end) {
                    return false;
                }
            }
            int to = end > from && bytes[end - 1] == '\r' ? end - 1 : end;
            format.line(bytes, from, to, out);
            int next = Math.min(end + 1, window.end);
            left -= next - from;
            window.at = next;
        }
        return true;
    }

    /** The end of the line at the window's position, reading more as necessary. */
    private int lineEnd() throws IOException {
        int end = Words.find(window.bytes, window.at, window.end, NEWLINE);
        while (end == window.end) {
            int seen = end - window.at;
            boolean more = window.more();
            end = Words.find(window.bytes, window.at + seen, window.end, NEWLINE);
            if (!more) {
                return end;
            }
        }
        return end;
    }

    @Override
    public long bytesRead() {
        return Math.max(0, window.fileBytes() - split.from());
    }

    @Override
    public String position() {
        return window.place();
    }

    @Override
    public void close() throws IOException {
        window.close();
    }
}
