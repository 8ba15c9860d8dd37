package petrichor.jobs.service;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The events of a job for one subscriber, the first of which is a snapshot. A subscriber that takes
 * them too slowly gets a snapshot instead of those that were dropped. Safe for all threads.
 */
public final class JobSubscription implements AutoCloseable {
    private static final int WAITING_MAX = 1_000;

    private final Deque<Progress.Event> waiting = new ArrayDeque<>();
    private final Consumer<JobSubscription> onClose;
    private boolean ended;

    JobSubscription(JobSnapshot snapshot, Consumer<JobSubscription> onClose) {
        this.onClose = onClose;
        waiting.add(EventMessages.snapshot(snapshot));
        ended = snapshot.state().hasEnded();
    }

    synchronized void add(Progress.Event event, JobSnapshot after) {
        if (waiting.size() >= WAITING_MAX) {
            waiting.clear();
            waiting.add(EventMessages.snapshot(after));
        } else {
            waiting.add(event);
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
    public synchronized Optional<Progress.Event> next(Duration within) throws InterruptedException {
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

    /** Whether all events were taken. */
    public synchronized boolean isOver() {
        return ended && waiting.isEmpty();
    }

    @Override
    public void close() {
        end();
        onClose.accept(this);
    }
}
