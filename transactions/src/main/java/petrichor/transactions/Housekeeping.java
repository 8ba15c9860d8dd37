package petrichor.transactions;

import java.lang.System.Logger.Level;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Calls what is to be done now and then, on one thread of its own. A failure is logged and tried
 * again the next time.
 */
final class Housekeeping implements AutoCloseable {
    private static final long PERIOD_SECONDS = 5;
    private static final System.Logger LOG = System.getLogger(Housekeeping.class.getName());

    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("housekeeping").factory());

    private Housekeeping() {}

    static Housekeeping start(Runnable chores) {
        Housekeeping housekeeping = new Housekeeping();
        Runnable guarded =
                () -> {
                    try {
                        chores.run();
                    } catch (RuntimeException failed) {
                        LOG.log(Level.WARNING, "housekeeping failed; it is retried soon", failed);
                    }
                };
        // Guarded: it cannot fail.
        var _ =
                housekeeping.thread.scheduleWithFixedDelay(
                        guarded, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
        return housekeeping;
    }

    @Override
    public void close() {
        var _ = thread.shutdownNow();
        try {
            var _ = thread.awaitTermination(PERIOD_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
