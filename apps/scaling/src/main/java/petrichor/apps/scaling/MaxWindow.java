package petrichor.apps.scaling;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;

/** The maximum of a number over a sliding window. Not thread-safe. */
final class MaxWindow {
    private record Entry(Instant at, int value) {}

    private final Duration window;

    /** Oldest first; each one is greater than those after it. */
    private final Deque<Entry> entries = new ArrayDeque<>();

    MaxWindow(Duration window) {
        this.window = window;
    }

    /** Adds a value, and returns the maximum of those that are younger than the window. */
    int record(Instant at, int value) {
        while (!entries.isEmpty() && entries.getLast().value() <= value) {
            entries.removeLast();
        }
        entries.addLast(new Entry(at, value));
        Instant oldest = at.minus(window);
        while (!entries.getFirst().at().isAfter(oldest) && entries.size() > 1) {
            entries.removeFirst();
        }
        return entries.getFirst().value();
    }
}
