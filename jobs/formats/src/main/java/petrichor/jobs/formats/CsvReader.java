package petrichor.jobs.formats;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.Words;

/**
 * Reads the records of separated text that start in a split. A record ends with LF or CR LF outside
 * quotes; the last one of a file may lack it. Belongs to one thread.
 *
 * <p>One pass searches for line terminators and quotes together; a record without quotes is parsed
 * in place. A split that starts inside a file starts where {@link QuoteParity} infers; {@link
 * #checkNext} compares the next split's inference with the end of this one.
 */
final class CsvReader implements Source.SplitReader {
    private static final long NEWLINE = Words.pattern('\n');
    private static final long QUOTE = Words.pattern('"');

    /** Both match this pattern in these bits; so do '*' and 0x02, which are skipped. */
    private static final long NEWLINE_OR_QUOTE = Words.pattern('\n' & '"');

    private static final long COMMON_BITS = Words.pattern(~('\n' ^ '"'));

    /** Records between two checks of the engine whether the task is to stop. */
    private static final int RECORDS_PER_READ = 4096;

    /** Enough for the evidence, a record around it, and headers. */
    private static final int PROBE_BYTES = 2 * QuoteParity.EVIDENCE_BYTES;

    private final FileSplit split;
    private final CsvSource.Dialect dialect;
    private final @Nullable CsvLine line;
    private final FileWindow window;
    private boolean started;

    CsvReader(FileSplit split, CsvSource.Dialect dialect, CsvLine line) throws IOException {
        this(split, dialect, line, FileWindow.WINDOW_BYTES);
    }

    private CsvReader(
            FileSplit split, CsvSource.Dialect dialect, @Nullable CsvLine line, int windowBytes)
            throws IOException {
        this.split = split;
        this.dialect = dialect;
        this.line = line;
        this.window =
                new FileWindow(
                        split, Math.max(0, split.from() - QuoteParity.BEFORE_BYTES), windowBytes);
        if (line != null) {
            line.readAt(this::place);
        }
    }

    /** Line number of the current record: counted in the file, for failures only. */
    private String place() {
        long position = window.position();
        long line = 1;
        try (FileWindow file = new FileWindow(split, 0)) {
            do {
                for (; file.at < file.end && position > 0; file.at++, position--) {
                    line += file.bytes[file.at] == '\n' ? 1 : 0;
                }
            } while (position > 0 && file.more());
        } catch (IOException e) {
            return "a line of " + split.file();
        }
        return "line " + line + " of " + split.file();
    }

    static CsvReader ofHeader(FileSplit file, CsvSource.Dialect dialect) throws IOException {
        return new CsvReader(file, dialect, null, PROBE_BYTES);
    }

    /** The fields of the first record. */
    List<String> header() throws IOException {
        load(QuoteParity.EVIDENCE_BYTES);
        skipByteOrderMark();
        int end = recordEnd();
        return CsvLine.texts(window.bytes, window.at, textEnd(end), dialect.separator());
    }

    @Override
    public boolean read(Out out) throws IOException {
        if (!started) {
            begin();
        }
        CsvLine format = line;
        if (format == null) {
            throw new IllegalStateException("reads a header only");
        }
        byte[] bytes = window.bytes;
        // The compressed position does not show where the text ends.
        long left = split.isCompressed() ? Long.MAX_VALUE : split.to() - window.position();
        for (int i = 0; i < RECORDS_PER_READ; i++) {
            if (left <= 0) {
                checkNext();
                return false;
            }
            int from = window.at;
            int end = lineEndOrQuote(bytes, from, window.end);
            boolean plain = end < window.end && bytes[end] == '\n';
            if (!plain) {
                end = recordEnd();
                bytes = window.bytes;
                from = window.at;
                if (from == window.end) {
                    return false;
                }
            }
            int to = end > from && bytes[end - 1] == '\r' ? end - 1 : end;
            format.record(bytes, from, to, plain, out);
            int next = Math.min(end + 1, window.end);
            left -= next - from;
            window.at = next;
        }
        return true;
    }

    private static int lineEndOrQuote(byte[] bytes, int from, int to) {
        int at = Words.findMasked(bytes, from, to, COMMON_BITS, NEWLINE_OR_QUOTE);
        while (at < to && bytes[at] != '\n' && bytes[at] != '"') {
            at = Words.findMasked(bytes, at + 1, to, COMMON_BITS, NEWLINE_OR_QUOTE);
        }
        return at;
    }

    /** Moves to the first record that starts in the split. */
    private void begin() throws IOException {
        started = true;
        load(QuoteParity.BEFORE_BYTES + QuoteParity.EVIDENCE_BYTES);
        if (split.from() > 0) {
            skipToRecord();
            return;
        }
        skipByteOrderMark();
        if (dialect.header() && window.at < window.end) {
            window.at = Math.min(recordEnd() + 1, window.end);
        }
    }

    /** Fills the window with this much, or the rest of the file. */
    private void load(int count) throws IOException {
        while (window.end - window.at < count && window.more()) {
            // Reads may be short.
        }
    }

    private void skipByteOrderMark() {
        byte[] bytes = window.bytes;
        if (window.end >= 3
                && bytes[0] == (byte) 0xef
                && bytes[1] == (byte) 0xbb
                && bytes[2] == (byte) 0xbf) {
            window.at = 3;
        }
    }

    /** Moves from within a record to the start of the next one. */
    private void skipToRecord() throws IOException {
        int before = (int) (split.from() - Math.max(0, split.from() - QuoteParity.BEFORE_BYTES));
        int at = QuoteParity.lastCertain(window.bytes, before - 1);
        int evidence = Math.min(window.end, before + QuoteParity.EVIDENCE_BYTES);
        boolean quoted =
                QuoteParity.isQuoted(window.bytes, at, evidence, (byte) dialect.separator());
        window.at = at;
        try {
            int outside = quoted ? Math.min(closing(0) + 1, window.end) - window.at : 0;
            int end = recordEnd(outside);
            window.at = Math.min(end + 1, window.end);
        } catch (PetrichorException guessedWrong) {
            throw inseparable(split.from());
        }
    }

    private int recordEnd() throws IOException {
        return recordEnd(0);
    }

    /**
     * The line terminator of the record at the window's position, or the end of the file, reading
     * more as necessary.
     *
     * @param offset where to start, outside quotes
     */
    private int recordEnd(int offset) throws IOException {
        int seen = offset;
        while (true) {
            int from = window.at + seen;
            int end = Words.find(window.bytes, from, window.end, NEWLINE);
            int opening = opening(from, end);
            if (opening < end) {
                long position = window.position() + opening - window.at;
                int close = closing(opening + 1 - window.at);
                if (close == window.end) {
                    throw PetrichorException.invalid(
                            "a quote opens at byte {position} and is not closed before the end of"
                                    + " {file}",
                            "position",
                            position,
                            "file",
                            split.file());
                }
                seen = close + 1 - window.at;
            } else if (end < window.end) {
                return end;
            } else {
                seen = end - window.at;
                if (!window.more()) {
                    return window.end;
                }
            }
        }
    }

    /** The first quote in [from, to) that opens a field, or to. */
    private int opening(int from, int to) {
        byte separator = (byte) dialect.separator();
        int at = Words.find(window.bytes, from, to, QUOTE);
        while (at < to) {
            if (at == window.at
                    || window.bytes[at - 1] == separator
                    || window.bytes[at - 1] == '\n') {
                return at;
            }
            at = Words.find(window.bytes, at + 1, to, QUOTE);
        }
        return to;
    }

    /** The closing quote for a position within quotes, or the end of the file. */
    private int closing(int offset) throws IOException {
        int seen = offset;
        while (true) {
            int at = Words.find(window.bytes, window.at + seen, window.end, QUOTE);
            if (at + 1 < window.end) {
                if (window.bytes[at + 1] != '"') {
                    return at;
                }
                seen = at + 2 - window.at;
            } else {
                seen = at - window.at;
                if (!window.more()) {
                    return window.at + seen;
                }
            }
        }
    }

    /** Verifies that the next split starts where this one has ended. */
    private void checkNext() throws IOException {
        if (split.isCompressed() || split.to() >= split.size()) {
            return;
        }
        FileSplit rest = split.part(split.to(), split.size());
        try (CsvReader next = new CsvReader(rest, dialect, null, PROBE_BYTES)) {
            next.begin();
            if (next.window.position() != window.position()) {
                throw inseparable(split.to());
            }
        }
    }

    private PetrichorException inseparable(long at) {
        return PetrichorException.invalid(
                "{file} cannot be read in parts: near byte {at} it does not show where quotes open"
                        + " and close; read each file as a whole (Java: asWholeFiles(), Python:"
                        + " unsplit=True)",
                "file",
                split.file(),
                "at",
                at);
    }

    /** The end of a record without the CR of its line end. */
    private int textEnd(int end) {
        return end > window.at && window.bytes[end - 1] == '\r' ? end - 1 : end;
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
