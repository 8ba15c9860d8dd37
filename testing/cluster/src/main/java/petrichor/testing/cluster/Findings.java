package petrichor.testing.cluster;

import java.util.ArrayList;
import java.util.List;

/** Broken promises, in words. Safe for any thread; keeps only so many. */
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

    /** Also those that are not kept. */
    synchronized long count() {
        return count;
    }

    synchronized List<String> list() {
        return List.copyOf(kept);
    }
}
