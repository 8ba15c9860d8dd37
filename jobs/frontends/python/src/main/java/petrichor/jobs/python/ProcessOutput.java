package petrichor.jobs.python;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Forwards a worker's output (standard output or error) to this process' standard error, and keeps
 * the last lines for error messages. Safe for all threads.
 */
final class ProcessOutput {
    private static final int LINES_MAX = 20;
    private static final int LINE_CHARS_MAX = 500;
    private static final Duration END_WAIT_MAX = Duration.ofSeconds(1);

    private final Deque<String> last = new ArrayDeque<>();
    private final Thread reader;

    private ProcessOutput(Process process, String step) {
        this.reader =
                Thread.ofPlatform()
                        .name("output of the worker of " + step)
                        .daemon()
                        .start(() -> read(process));
    }

    static ProcessOutput by(Process process, String step) {
        return new ProcessOutput(process, step);
    }

    private void read(Process process) {
        try (var lines =
                new BufferedReader(
                        new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                System.err.println(line);
                keep(line);
            }
        } catch (IOException gone) {
            // The stream ends with the process.
        }
    }

    private synchronized void keep(String line) {
        last.addLast(
                line.length() > LINE_CHARS_MAX ? line.substring(0, LINE_CHARS_MAX) + "…" : line);
        if (last.size() > LINES_MAX) {
            last.removeFirst();
        }
    }

    /** For an error message: its last output, or an empty text. */
    String atItsEnd() {
        awaitEnd();
        synchronized (this) {
            return last.isEmpty() ? "" : "; its last output:\n" + String.join("\n", last);
        }
    }

    void awaitEnd() {
        try {
            reader.join(END_WAIT_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
