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

/** Does nothing until a test says so: until then what was committed is not in its rows. */
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

    /** Also without the test, whose clock moves on by that. */
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

    /** On a thread, so that commits end. */
    @Override
    public EventLoop loop(String name, EventLoop.Work work) {
        return new ThreadLoop(name, work);
    }

    /** How many were set. */
    int deadlines() {
        return deadlines.get();
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
