package petrichor.services.queues.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import petrichor.services.queues.ProjectQueues;
import petrichor.services.queues.QueueRows.Due;
import petrichor.services.queues.cron.CronJobs;

/** Looks at a project's cron jobs whenever one is due. Thread-safe. */
final class CronClock {
    /** Longest sleep, because the wall clock may jump. */
    private static final Duration SLEEP_MAX = Duration.ofMinutes(1);

    private static final long NANOS_PER_MICRO = 1_000;

    private final DispatchSetup setup;
    private final CronJobs jobs;
    private final Turns turns;
    private final Alarm alarm;
    private final Consumer<List<Due>> added;

    /**
     * @param defined called after a change of the jobs, whose queue may be new
     * @param added receives tasks that were added to the queue of cron jobs
     */
    CronClock(
            ProjectQueues queues,
            DispatchSetup setup,
            Runnable defined,
            Consumer<List<Due>> added) {
        this.setup = setup;
        this.turns = new Turns("cron jobs of " + queues.project(), setup.scheduler(), this::turn);
        this.jobs =
                new CronJobs(
                        queues.commits(),
                        () -> {
                            defined.run();
                            turns.wake();
                        },
                        setup.time());
        this.alarm = new Alarm(setup.time(), setup.scheduler(), turns::wake);
        this.added = added;
    }

    CronJobs jobs() {
        return jobs;
    }

    void wake() {
        turns.wake();
    }

    private void turn() {
        CronJobs.Look look = jobs.look();
        if (!look.tasks().isEmpty()) {
            added.accept(look.tasks());
        }
        look.nextMicros()
                .ifPresent(
                        next ->
                                alarm.set(
                                        Math.clamp(
                                                (next - setup.time().epochMicros())
                                                        * NANOS_PER_MICRO,
                                                0,
                                                SLEEP_MAX.toNanos())));
    }

    void close() {
        turns.close();
    }
}
