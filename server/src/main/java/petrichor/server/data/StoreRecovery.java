package petrichor.server.data;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reopens the embedded store after it ran out of file handles: RocksDB then accepts no writes,
 * although the disk is intact. Checks once per second, and retries until it succeeds.
 */
public final class StoreRecovery implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StoreRecovery.class);
    private static final int POLL_INTERVAL_S = 1;

    private final BooleanSupplier needed;
    private final Runnable reopen;
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("store-recovery").factory());

    /** The store was closed, and reopening it has failed so far. */
    private boolean pending;

    /**
     * @param needed whether the store refuses writes for a temporary reason
     * @param reopen closes the store if it is open, and opens it
     */
    public StoreRecovery(BooleanSupplier needed, Runnable reopen) {
        this.needed = needed;
        this.reopen = reopen;
    }

    public StoreRecovery start() {
        var _ =
                timer.scheduleWithFixedDelay(
                        this::poll, POLL_INTERVAL_S, POLL_INTERVAL_S, TimeUnit.SECONDS);
        return this;
    }

    private void poll() {
        try {
            if ((pending || needed.getAsBoolean()) && FileHandles.free() >= FileHandles.RESERVED) {
                pending = true;
                LOG.warn("the store ran out of file handles; reopening it");
                reopen.run();
                pending = false;
                LOG.info("the store is reopened and accepts writes");
            }
        } catch (RuntimeException failed) {
            LOG.warn("reopening the store failed; retrying", failed);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
