package petrichor.apps.instances;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import petrichor.base.FileProblem;

/**
 * Reads a log from a position on, and follows it. Keeps no file open between reads. Used by one
 * thread at a time.
 */
public final class LogTail {
    private final InstanceLog log;
    private final LogFiles files;
    private LogPosition position;
    private boolean missed;

    LogTail(InstanceLog log, LogFiles files, LogPosition position) {
        this.log = log;
        this.files = files;
        this.position = position;
    }

    /**
     * The next lines, about as many as one line of the greatest length has bytes. Empty if none was
     * written within {@code wait}, or if the log was closed.
     */
    public List<LogLine> read(Duration wait) throws InterruptedException {
        LogPosition end = log.awaitMore(position, wait);
        try {
            List<LogLine> lines = new ArrayList<>();
            while (lines.isEmpty() && !position.equals(end)) {
                advance(end, lines);
            }
            return lines;
        } catch (IOException e) {
            throw FileProblem.of("cannot read the log in " + files.folder(), e);
        }
    }

    /** True if files were deleted before they were read, since the last call. */
    public boolean takeMissed() {
        boolean taken = missed;
        missed = false;
        return taken;
    }

    private void advance(LogPosition end, List<LogLine> lines) throws IOException {
        long limit = position.file() == end.file() ? end.offset() : Long.MAX_VALUE;
        Optional<byte[]> bytes = files.bytes(position, limit, log.limits().writtenBytesMax());
        int parsed = bytes.map(found -> parse(found, lines)).orElse(0);
        if (parsed > 0) {
            position = new LogPosition(position.file(), position.offset() + parsed);
        } else {
            missed |= bytes.isEmpty();
            position = next(end);
        }
    }

    /** Returns the length of all complete lines. */
    private static int parse(byte[] bytes, List<LogLine> lines) {
        int from = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                String line = new String(bytes, from, i - from, StandardCharsets.UTF_8);
                LogLine.parse(line).ifPresent(lines::add);
                from = i + 1;
            }
        }
        return from;
    }

    /** The start of the next file that still exists. */
    private LogPosition next(LogPosition end) throws IOException {
        for (long number : files.numbers()) {
            if (number > position.file()) {
                missed |= number > position.file() + 1;
                return new LogPosition(number, 0);
            }
        }
        return end;
    }
}
