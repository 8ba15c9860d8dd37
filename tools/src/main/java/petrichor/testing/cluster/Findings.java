package petrichor.testing.cluster;

import java.util.ArrayList;
import java.util.List;

/** Descriptions of violated guarantees. Thread-safe; keeps a limited number. */
final class Findings {
    private static final int KEPT_MAX = 100;

    private final List<String> kept = new ArrayList<>();
    private long count;

    synchronized void add(String workload, String text) {
        count++;
        if (kept.size() < KEPT_MAX) {
            kept.add(workload + ": " + text);
        }
    }

    /** The number of findings, including those that are not kept. */
    synchronized long count() {
        return count;
    }

    synchronized List<String> list() {
        return List.copyOf(kept);
    }
}
