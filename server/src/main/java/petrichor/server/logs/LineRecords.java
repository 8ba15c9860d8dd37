package petrichor.server.logs;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns lines printed to standard error into log records. Otherwise output of the JVM and of
 * libraries would appear between the JSON lines. Thread-safe.
 */
final class LineRecords extends OutputStream {
    /** Longer lines are split into several records. */
    static final int LINE_BYTES_MAX = 16 << 10;

    private static final Logger LOG = LoggerFactory.getLogger("stderr");

    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    @Override
    public synchronized void write(int octet) {
        if (octet == '\n') {
            end();
        } else if (octet != '\r') {
            line.write(octet);
            if (line.size() >= LINE_BYTES_MAX) {
                end();
            }
        }
    }

    private void end() {
        String text = line.toString(StandardCharsets.UTF_8);
        line.reset();
        if (!text.isBlank()) {
            LOG.warn("{}", text);
        }
    }
}
