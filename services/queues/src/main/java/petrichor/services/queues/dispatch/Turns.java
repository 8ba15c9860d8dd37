package petrichor.services.queues.dispatch;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;
import petrichor.transactions.scheduling.Scheduler;

/**
 * Runs work in turns that never overlap: a signal during a turn causes another one. A turn that
 * fails is repeated after a pause. Thread-safe.
 */
final class Turns {
    private static final System.Logger LOG = System.getLogger(Turns.class.getName());

    /** Between a failed turn and the next one. */
    static final Duration PAUSE = Duration.ofSeconds(1);

    private final String name;
    private final Scheduler scheduler;
    private final Runnable turn;
    private final AtomicInteger signals = new AtomicInteger();
    private volatile boolean closed;

    Turns(String name, Scheduler scheduler, Runnable turn) {
        this.name = name;
        this.scheduler = scheduler;
        this.turn = turn;
    }

    void wake() {
        if (!closed && signals.getAndIncrement() == 0) {
            scheduler.run(this::run);
        }
    }

    private void run() {
        int seen;
        do {
            seen = signals.get();
            if (!closed) {
                take();
            }
        } while (signals.addAndGet(-seen) != 0);
    }

    // one failed turn must not end a dispatcher
    @SuppressWarnings("CatchThrowable")
    private void take() {
        try {
            turn.run();
        } catch (PetrichorException | NotOwner failed) {
            again(failed.toString());
        } catch (Throwable failed) {
            LOG.log(Level.ERROR, name + " failed", failed);
            again(failed.toString());
        }
    }

    private void again(String reason) {
        if (!closed) {
            LOG.log(Level.DEBUG, "{0} pauses: {1}", name, reason);
            scheduler.runLater(this::wake, PAUSE);
        }
    }

    /** No further turns start. */
    void close() {
        closed = true;
    }

    boolean closed() {
        return closed;
    }
}
