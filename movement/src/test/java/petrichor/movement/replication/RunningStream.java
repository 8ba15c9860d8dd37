package petrichor.movement.replication;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** A run on a thread of its own, which ends when it is closed. */
final class RunningStream implements AutoCloseable {
    private static final Duration WITHIN = Duration.ofSeconds(60);

    private final AtomicBoolean wanted = new AtomicBoolean(true);
    private final ReplicationRun run;
    private final Thread thread;

    RunningStream(ReplicationLink link) {
        this.run = new ReplicationRun(link, wanted::get);
        this.thread = Thread.ofVirtual().start(run::run);
    }

    ReplicationProgress progress() {
        return run.progress();
    }

    void await(BooleanSupplier condition) {
        long end = System.nanoTime() + WITHIN.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("%s", run.progress()).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    void awaitEqual(Deployment one, Deployment other) {
        await(() -> other.content().equals(one.content()));
    }

    @Override
    public void close() {
        wanted.set(false);
        // It may wait for a commit.
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
