package petrichor.cloud.leasing;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Runs the steps of {@link Leasing} on a thread until it is closed. A failed step is logged, and
 * the next one runs as usual.
 */
public final class LeasingLoop implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(LeasingLoop.class.getName());
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

    private final Leasing leasing;
    private final InstantSource clock;
    private final Supplier<? extends Collection<? extends StageDemand>> demands;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Thread thread;
    private boolean news;
    private boolean closed;

    private LeasingLoop(
            Leasing leasing,
            InstantSource clock,
            Supplier<? extends Collection<? extends StageDemand>> demands) {
        this.leasing = leasing;
        this.clock = clock;
        this.demands = demands;
        this.thread = Thread.ofPlatform().daemon().name("leasing").unstarted(this::run);
    }

    public static LeasingLoop start(
            Leasing leasing,
            InstantSource clock,
            Supplier<? extends Collection<? extends StageDemand>> demands) {
        LeasingLoop loop = new LeasingLoop(leasing, clock, demands);
        loop.thread.start();
        return loop;
    }

    /** Runs the next step immediately, after a change. */
    public void wake() {
        lock.lock();
        try {
            news = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        while (true) {
            Duration wait = AFTER_FAILURE;
            try {
                Instant next = leasing.step(demands.get());
                wait = Duration.between(clock.instant(), next);
            } catch (RuntimeException e) {
                LOG.log(
                        System.Logger.Level.ERROR,
                        "a step of leasing failed; retrying with the next step",
                        e);
            }
            if (!pause(wait)) {
                return;
            }
        }
    }

    private boolean pause(Duration time) {
        lock.lock();
        try {
            long left = time.toNanos();
            while (!closed && !news && left > 0) {
                left = changed.awaitNanos(left);
            }
            news = false;
            return !closed;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the running step. Leased machines stay leased. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            thread.join(TimeUnit.SECONDS.toMillis(60));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
