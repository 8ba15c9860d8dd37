package petrichor.bench.apps;

import java.nio.file.Path;
import java.time.Duration;
import petrichor.bench.Progress;

/**
 * A run of the benchmark.
 *
 * @param folder temporary, empty
 * @param guestbook sources of the guestbook
 * @param length of a load
 */
record AppsRun(
        Path folder,
        Path guestbook,
        int rounds,
        Duration length,
        AppFigures figures,
        Progress progress) {
    void say(String part, int round) {
        progress.say(part + ", round " + round + " of " + rounds);
    }

    static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
