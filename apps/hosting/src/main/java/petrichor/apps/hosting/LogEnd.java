package petrichor.apps.hosting;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The last lines of a log. */
final class LogEnd {
    private static final int BYTES_MAX = 4096;
    private static final int LINES_MAX = 20;

    private LogEnd() {}

    /** Empty if it cannot be read. */
    static String of(Path log) {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            long from = Math.max(0, file.length() - BYTES_MAX);
            byte[] end = new byte[(int) (file.length() - from)];
            file.seek(from);
            file.readFully(end);
            var lines = new String(end, StandardCharsets.UTF_8).lines().toList();
            return String.join(
                    "\n", lines.subList(Math.max(0, lines.size() - LINES_MAX), lines.size()));
        } catch (IOException unreadable) {
            return "";
        }
    }
}
