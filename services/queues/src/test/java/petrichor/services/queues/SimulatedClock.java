package petrichor.services.queues;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.transactions.scheduling.EventLoop;
import petrichor.transactions.scheduling.Scheduler;

/**
 * Time and background work of a test, on the thread of the test: work runs in {@link #advance}, in
 * the order in which it is due. Other threads, such as those of a client of a real server, may only
 * call {@link #run}; time does not pass while the server is busy.
 */
public final class SimulatedClock implements TimeSource, Scheduler {
    /** 2026-01-01T00:00:00Z. */
    public static final long START_MICROS = 1_767_225_600_000_000L;

    private static final Duration BUSY_MAX = Duration.ofMinutes(2);
    private static final Duration BUSY_PAUSE = Duration.ofNanos(100_000);

    private long nanos;
    private long sequence;
    private final PriorityQueue<Event> events = new PriorityQueue<>();

    private final Thread owner = Thread.currentThread();

    /** From other threads. */
    private final BlockingQueue<Runnable> received = new LinkedBlockingQueue<>();

    private BooleanSupplier busy = () -> false;

    private record Event(long nanos, long sequence, Runnable task) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(nanos, other.nanos);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }
    }

    @Override
    public long epochMicros() {
        return START_MICROS + nanos / 1_000;
    }

    @Override
    public long monotonicNanos() {
        return nanos;
    }

    @Override
    public void run(Runnable task) {
        if (owner.equals(Thread.currentThread())) {
            runLater(task, Duration.ZERO);
        } else {
            received.add(task);
        }
    }

    /** Time stands still while something outside of the simulation is busy. */
    public void waitFor(BooleanSupplier other) {
        busy = other;
    }

    private void receive() {
        long until = System.nanoTime() + BUSY_MAX.toNanos();
        for (Runnable next = received.poll(); ; next = received.poll()) {
            if (next != null) {
                next.run();
            } else if (busy.getAsBoolean()) {
                if (System.nanoTime() - until > 0) {
                    throw new AssertionError("busy for more than " + BUSY_MAX);
                }
                LockSupport.parkNanos(BUSY_PAUSE.toNanos());
            } else if (received.isEmpty()) {
                return;
            }
        }
    }

    @Override
    public void runLater(Runnable task, Duration delay) {
        events.add(new Event(nanos + Math.max(0, delay.toNanos()), sequence++, task));
    }

    @Override
    public void runAtDeadline(Runnable end, Duration after) {
        runLater(end, after);
    }

    @Override
    public Chore repeat(Runnable chore, Duration period) {
        boolean[] closed = {false};
        runLater(() -> again(chore, period, closed), period);
        return () -> closed[0] = true;
    }

    private void again(Runnable chore, Duration period, boolean[] closed) {
        if (!closed[0]) {
            try {
                chore.run();
            } catch (PetrichorException | NotOwner failed) {
                // The next period tries again, as on a real scheduler.
            }
            runLater(() -> again(chore, period, closed), period);
        }
    }

    /** Takes turns on the thread that wakes it. */
    @Override
    public EventLoop loop(String name, EventLoop.Work work) {
        return new EventLoop() {
            private boolean turning;

            @Override
            public void wake() {
                wakeOrTakeTurn();
            }

            @Override
            public void wakeOrTakeTurn() {
                if (turning) {
                    return;
                }
                turning = true;
                try {
                    while (work.isWaiting()) {
                        work.turn();
                    }
                } finally {
                    turning = false;
                }
            }

            @Override
            public void close() {}
        };
    }

    /** Runs everything that is due within this time. */
    public void advance(Duration by) {
        long until = nanos + by.toNanos();
        receive();
        while (!events.isEmpty() && events.peek().nanos() <= until) {
            Event next = events.remove();
            nanos = Math.max(nanos, next.nanos());
            next.task().run();
            receive();
        }
        nanos = until;
    }

    /** Runs what is due now. */
    public void settle() {
        advance(Duration.ZERO);
    }

    /** Drops all work that waits, as the end of a process does. */
    public void crash() {
        events.clear();
        received.clear();
    }

    public static long micros(Duration duration) {
        return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
    }
}
