package petrichor.jobs.service;

import java.util.OptionalInt;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The status with which code ends this process. {@code Runtime.exit} gives it to no shutdown hook,
 * but writes it to the log {@code java.lang.Runtime}, as its documentation says. Safe for all
 * threads.
 */
final class ExitStatus extends Handler {
    private static final Pattern STATUS = Pattern.compile("status: (-?\\d{1,10})");

    /** Held: a logger that nobody holds forgets its level. */
    private final Logger log = Logger.getLogger("java.lang.Runtime");

    private volatile OptionalInt status = OptionalInt.empty();

    private ExitStatus() {}

    /** From now on, for as long as the process lives. */
    static ExitStatus watched() {
        ExitStatus watching = new ExitStatus();
        watching.setLevel(Level.ALL);
        watching.log.setLevel(Level.FINE);
        watching.log.setUseParentHandlers(false);
        watching.log.addHandler(watching);
        return watching;
    }

    /** Empty while nothing has ended it, or if the log does not say. */
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
