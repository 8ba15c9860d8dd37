package petrichor.testing.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.transactions.Background;

/** What a process does beside its commits, when the scheduler says so and in any order. */
final class SimulatedBackground implements Background {
    private final List<Runnable> tasks = new ArrayList<>();

    @Override
    public synchronized void run(Runnable task) {
        tasks.add(task);
    }

    /** Later is any time. */
    @Override
    public void runLater(Runnable task, Duration delay) {
        run(task);
    }

    synchronized boolean idle() {
        return tasks.isEmpty();
    }

    void runOne(Chance chance) {
        Runnable task = take(chance);
        if (task != null) {
            task.run();
        }
    }

    private synchronized @Nullable Runnable take(Chance chance) {
        return tasks.isEmpty() ? null : tasks.remove(chance.below(tasks.size()));
    }
}
