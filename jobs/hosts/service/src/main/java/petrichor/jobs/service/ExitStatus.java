package petrichor.jobs.service;

import java.util.OptionalInt;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The exit status with which user code ends this process. {@code Runtime.exit} does not pass it to
 * shutdown hooks, but logs it to {@code java.lang.Runtime}, as documented. Safe for all threads.
 */
final class ExitStatus extends Handler {
    private static final Pattern STATUS = Pattern.compile("status: (-?\\d{1,10})");

    /** A strong reference, because a logger without one is collected and loses its level. */
    private final Logger log = Logger.getLogger("java.lang.Runtime");

    private volatile OptionalInt status = OptionalInt.empty();

    private ExitStatus() {}

    /** Starts to watch, for as long as the process lives. */
    static ExitStatus watched() {
        ExitStatus watching = new ExitStatus();
        watching.setLevel(Level.ALL);
        watching.log.setLevel(Level.FINE);
        watching.log.setUseParentHandlers(false);
        watching.log.addHandler(watching);
        return watching;
    }

    /** Empty until the process exits, or if the status was not logged. */
    OptionalInt status() {
        return status;
    }

    @Override
    public void publish(LogRecord entry) {
        Matcher found = STATUS.matcher(String.valueOf(entry.getMessage()));
        if (found.find()) {
            status = OptionalInt.of(Integer.parseInt(found.group(1)));
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
