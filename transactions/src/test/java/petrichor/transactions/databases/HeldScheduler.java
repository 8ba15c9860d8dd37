package petrichor.transactions.databases;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import petrichor.transactions.scheduling.EventLoop;
import petrichor.transactions.scheduling.Scheduler;
import petrichor.transactions.scheduling.ThreadLoop;

/** Runs tasks only on request: until then commits are not applied to their rows. */
final class HeldScheduler implements Scheduler {
    private final TestTime time;
    private final AtomicInteger deadlines = new AtomicInteger();
    private final Deque<Runnable> tasks = new ArrayDeque<>();

    HeldScheduler(TestTime time) {
        this.time = time;
    }

    @Override
    public synchronized void run(Runnable task) {
        tasks.add(task);
    }

    @Override
    public void runLater(Runnable task, Duration delay) {
        run(task);
    }

    /** Runs without a request; advances the clock of the test to the deadline. */
    @Override
    public void runAtDeadline(Runnable end, Duration after) {
        deadlines.incrementAndGet();
        Runnable late =
                () -> {
                    time.advanceMicros(after.toNanos() / 1_000 + 1);
                    end.run();
                };
        CompletableFuture.delayedExecutor(after.toNanos(), TimeUnit.NANOSECONDS).execute(late);
    }

    @Override
    public Chore repeat(Runnable chore, Duration period) {
        return () -> {};
    }

    /** Runs on a thread, so that commits complete. */
    @Override
    public EventLoop loop(String name, EventLoop.Work work) {
        return new ThreadLoop(name, work);
    }

    /** Number of deadlines that were set. */
    int deadlines() {
        return deadlines.get();
    }

    synchronized int size() {
        return tasks.size();
    }

    /** Runs all tasks, including those that they submit. */
    void runAll() {
        for (Runnable task = next(); task != null; task = next()) {
            task.run();
        }
    }

    /** Runs the first task. */
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
