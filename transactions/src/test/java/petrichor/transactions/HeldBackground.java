package petrichor.transactions;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Does nothing until a test says so: until then what was committed is not in its rows. */
final class HeldBackground implements Background {
    private final Deque<Runnable> tasks = new ArrayDeque<>();

    @Override
    public synchronized void run(Runnable task) {
        tasks.add(task);
    }

    @Override
    public void runLater(Runnable task, Duration delay) {
        run(task);
    }

    synchronized int size() {
        return tasks.size();
    }

    /** All of it, also what comes of it. */
    void runAll() {
        for (Runnable task = next(); task != null; task = next()) {
            task.run();
        }
    }

    /** The first of it. */
    void runOnce() {
        Runnable task = next();
        if (task != null) {
            task.run();
        }
    }

    private synchronized @Nullable Runnable next() {
        return tasks.poll();
    }
}
