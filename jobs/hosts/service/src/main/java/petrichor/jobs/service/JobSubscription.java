package petrichor.jobs.service;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What somebody who follows a job is told: the image at the beginning, then events. Who takes them
 * too slowly is told an image instead of those that were dropped. Safe for all threads.
 */
public final class JobSubscription implements AutoCloseable {
    private static final int WAITING_MAX = 1_000;

    private final Deque<Told> waiting = new ArrayDeque<>();
    private final Consumer<JobSubscription> onClose;
    private boolean ended;

    /** What is told. */
    public sealed interface Told {
        record Whole(JobSnapshot image) implements Told {}

        record Happened(JobEvent event) implements Told {}
    }

    JobSubscription(JobSnapshot image, Consumer<JobSubscription> onClose) {
        this.onClose = onClose;
        waiting.add(new Told.Whole(image));
        ended = image.state().hasEnded();
    }

    synchronized void tell(JobEvent event, JobSnapshot after) {
        if (waiting.size() >= WAITING_MAX) {
            waiting.clear();
            waiting.add(new Told.Whole(after));
        } else {
            waiting.add(new Told.Happened(event));
        }
        ended = after.state().hasEnded();
        notifyAll();
    }

    /** There will be no more; what waits may still be taken. */
    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** The next, or nothing if there was none in that time, or there is no more. */
    public synchronized Optional<Told> next(Duration within) throws InterruptedException {
        long until = System.nanoTime() + within.toNanos();
        while (waiting.isEmpty() && !ended) {
            long millis = (until - System.nanoTime()) / 1_000_000;
            if (millis <= 0) {
                return Optional.empty();
            }
            wait(millis);
        }
        return Optional.ofNullable(waiting.poll());
    }

    /** Whether everything was told. */
    public synchronized boolean isOver() {
        return ended && waiting.isEmpty();
    }

    @Override
    public void close() {
        end();
        onClose.accept(this);
    }
}
