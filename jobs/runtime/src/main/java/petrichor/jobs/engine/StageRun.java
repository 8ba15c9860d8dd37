package petrichor.jobs.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.JobControl;
import petrichor.jobs.engine.operators.Subtask;

/**
 * The threads of one stage, from the start of the first to the end of the last. Between two checks
 * on them the job's thread, to which this object belongs, takes measurements and adjusts the
 * parallelism (live scaling).
 */
final class StageRun {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

    /** User code that has not reacted to an interrupt by then never will. */
    private static final Duration END_WAIT_MAX = Duration.ofSeconds(10);

    private final String job;
    private final JobControl control;
    private final Runnable measure;
    private final @Nullable StageScaling scaling;
    private final long beganNanos;
    private final List<Thread> threads = new ArrayList<>();
    private final List<String> abandoned = new ArrayList<>();

    /**
     * @param measure called periodically
     * @param scaling null without live scaling
     * @param beganNanos when the job started
     */
    StageRun(
            String job,
            JobControl control,
            Runnable measure,
            @Nullable StageScaling scaling,
            long beganNanos) {
        this.job = job;
        this.control = control;
        this.measure = measure;
        this.scaling = scaling;
        this.beganNanos = beganNanos;
    }

    /**
     * Runs to the end.
     *
     * @return threads that did not end although the job was stopped, with their stacks
     */
    List<String> run(List<Subtask> subtasks) throws InterruptedException {
        if (scaling != null) {
            // Before any thread runs, so that a stage that ends at once is also considered.
            scale(scaling);
        }
        start(subtasks);
        // The list may grow while it waits for a thread.
        for (int i = 0; i < threads.size(); i++) {
            join(threads.get(i));
        }
        return abandoned;
    }

    private void start(List<Subtask> subtasks) {
        int started = 0;
        try {
            for (Subtask subtask : subtasks) {
                threads.add(
                        Thread.ofPlatform()
                                .name(job + " " + subtask.name())
                                .daemon()
                                .start(subtask));
                started++;
            }
        } catch (Throwable e) {
            // No thread can be started: the running ones must end first.
            control.stop(e);
            subtasks.subList(started, subtasks.size()).forEach(Subtask::abandon);
        }
    }

    /** Waits for a subtask; one that does not end although its job was stopped is abandoned. */
    private void join(Thread thread) throws InterruptedException {
        long stoppedNanos = 0;
        while (!thread.join(pollInterval())) {
            measure.run();
            if (control.stopped()) {
                thread.interrupt();
                long now = System.nanoTime();
                stoppedNanos = stoppedNanos == 0 ? now : stoppedNanos;
                if (now - stoppedNanos > END_WAIT_MAX.toNanos() || ExitCall.isIn(thread)) {
                    abandoned.add(thread.getName() + where(thread.getStackTrace()));
                    return;
                }
            } else if (scaling != null) {
                scale(scaling);
            }
        }
    }

    private void scale(StageScaling with) {
        try {
            start(with.due(Duration.ofNanos(System.nanoTime() - beganNanos)));
        } catch (Throwable e) {
            // A receiver may wait for a sender that was never started: the running threads must end
            // first.
            control.stop(e);
        }
    }

    private Duration pollInterval() {
        return scaling != null && scaling.every().compareTo(POLL_INTERVAL) < 0
                ? scaling.every()
                : POLL_INTERVAL;
    }

    private static String where(StackTraceElement[] stack) {
        return stack.length == 0 ? "" : ", in " + stack[0];
    }
}
