package petrichor.server.logs;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Keeps the latest lines of the log in memory, for support bundles. The number of lines and their
 * length are limited. Thread-safe.
 */
public final class RecentLog extends Handler {
    private static final int LINES_MAX = 1_000;
    private static final int LINE_CHARS_MAX = 2_000;

    private final Deque<String> lines = new ArrayDeque<>();
    private final Formatter format = new JsonLogFormat();

    /** Records the log of the process from now on, until it is closed. */
    public static RecentLog install() {
        RecentLog log = new RecentLog();
        log.setLevel(Level.INFO);
        Logger.getLogger("").addHandler(log);
        return log;
    }

    @Override
    public void publish(LogRecord line) {
        if (!isLoggable(line)) {
            return;
        }
        String text = format.format(line).strip();
        if (text.length() > LINE_CHARS_MAX) {
            text = text.substring(0, LINE_CHARS_MAX);
        }
        synchronized (lines) {
            if (lines.size() == LINES_MAX) {
                lines.removeFirst();
            }
            lines.addLast(text);
        }
    }

    public List<String> lines() {
        synchronized (lines) {
            return List.copyOf(lines);
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        Logger.getLogger("").removeHandler(this);
    }
}
