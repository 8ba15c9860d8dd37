package petrichor.apps.instances;

import java.util.ArrayDeque;
import java.util.Deque;

/** The last lines of an instance, for the reason of its failure. Thread-safe. */
final class RecentLines {
    private static final int LINES_MAX = 20;
    private static final int LINE_CHARS_MAX = 500;

    private final Deque<String> lines = new ArrayDeque<>();

    synchronized void add(String line) {
        if (lines.size() == LINES_MAX) {
            lines.removeFirst();
        }
        lines.addLast(
                line.length() > LINE_CHARS_MAX ? line.substring(0, LINE_CHARS_MAX) + "…" : line);
    }

    /** The sentence, followed by the lines if there are any. */
    synchronized String after(String sentence) {
        return lines.isEmpty()
                ? sentence
                : sentence + "; the last lines of its output:\n" + String.join("\n", lines);
    }
}
