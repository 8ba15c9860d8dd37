package petrichor.jobs.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.JobControl;
import petrichor.jobs.engine.operators.Subtask;

/**
 * The threads of one stage, from their start to the end of the last one. Between two looks at them
 * the job's thread, to which this belongs, measures, and lets subtasks join and leave.
 */
final class StageRun {
    private static final Duration LOOK = Duration.ofMillis(100);

    /** User code that has not noticed an interrupt until then never will. */
    private static final Duration END_WAIT_MAX = Duration.ofSeconds(10);

    private final String job;
    private final JobControl control;
    private final Runnable measure;
    private final @Nullable StageScaling scaling;
    private final long beganNanos;
    private final List<Thread> threads = new ArrayList<>();
    private final List<String> abandoned = new ArrayList<>();

    /**
     * @param measure to be called now and then
     * @param scaling null if subtasks neither come nor go
     * @param beganNanos when the job began
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
     * @return threads that did not end although the job was stopped, and where they are
     */
    List<String> run(List<Subtask> subtasks) throws InterruptedException {
        if (scaling != null) {
            // Asked before any thread runs: a stage that ends at once has been asked, too.
            scale(scaling);
        }
        start(subtasks);
        // More may come while it waits for one.
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
            // No thread can be started: those that run must end first.
            control.stop(e);
            subtasks.subList(started, subtasks.size()).forEach(Subtask::abandon);
        }
    }

    /** Waits for a subtask; one that does not end although its job was stopped is left behind. */
    private void join(Thread thread) throws InterruptedException {
        long stoppedNanos = 0;
        while (!thread.join(look())) {
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
            start(with.look(Duration.ofNanos(System.nanoTime() - beganNanos)));
        } catch (Throwable e) {
            // A receiver may wait for one that never began: those that run must end first.
            control.stop(e);
        }
    }

    private Duration look() {
        return scaling != null && scaling.every().compareTo(LOOK) < 0 ? scaling.every() : LOOK;
    }

    private static String where(StackTraceElement[] stack) {
        return stack.length == 0 ? "" : ", in " + stack[0];
    }
}
