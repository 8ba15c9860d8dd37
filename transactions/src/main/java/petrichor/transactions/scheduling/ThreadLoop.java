package petrichor.transactions.scheduling;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * An event loop on one platform thread that exists while work is queued: durable writes from
 * virtual threads would pin their carriers and prevent grouping. A caller on a platform thread that
 * finds the loop idle takes the turn itself, which saves a hand-over.
 */
public final class ThreadLoop implements EventLoop {
    /** The thread ends after this long without work; the next event starts another. */
    private static final long IDLE_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

    private final String name;
    private final Work work;
    private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();
    private volatile boolean parked;
    private volatile boolean closed;

    /** True while a thread takes a turn. */
    private final AtomicBoolean turn = new AtomicBoolean();

    public ThreadLoop(String name, Work work) {
        this.name = name;
        this.work = work;
    }

    @Override
    public void wake() {
        // The thread that takes a turn looks for more work after it.
        if (!turn.get()) {
            wakeThread();
        }
    }

    @Override
    public void wakeOrTakeTurn() {
        if (turn.get()) {
            return;
        }
        if (!Thread.currentThread().isVirtual() && turn.compareAndSet(false, true)) {
            try {
                work.turn();
            } finally {
                turn.set(false);
            }
            if (work.isWaiting()) {
                wakeThread();
            }
        } else {
            wakeThread();
        }
    }

    @Override
    public void close() {
        closed = true;
        wakeThread();
    }

    private void wakeThread() {
        Thread worker = thread.get();
        if (worker == null) {
            Thread fresh = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
            if (thread.compareAndSet(null, fresh)) {
                fresh.start();
                return;
            }
            worker = thread.get();
        }
        if (parked && worker != null) {
            LockSupport.unpark(worker);
        }
    }

    private void run() {
        Thread self = Thread.currentThread();
        long lastWork = System.nanoTime();
        while (true) {
            if (work.isWaiting() && turn.compareAndSet(false, true)) {
                takeTurns();
                lastWork = System.nanoTime();
                continue;
            }
            parked = true;
            if ((!work.isWaiting() && !closed) || turn.get()) {
                LockSupport.parkNanos(this, IDLE_NANOS_MAX);
            }
            parked = false;
            boolean idle = closed || System.nanoTime() - lastWork >= IDLE_NANOS_MAX;
            if (idle && !work.isWaiting()) {
                thread.compareAndSet(self, null);
                // An event queued just before saw this thread running; a later one does not.
                if (!work.isWaiting() || !thread.compareAndSet(null, self)) {
                    return;
                }
            }
        }
    }

    private void takeTurns() {
        try {
            do {
                work.turn();
            } while (work.isWaiting());
        } finally {
            turn.set(false);
        }
    }
}
