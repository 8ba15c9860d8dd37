package petrichor.services.queues.cron;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import petrichor.base.TimeSource;
import petrichor.kv.Direction;
import petrichor.services.queues.CronTasks;
import petrichor.services.queues.QueueCommits;
import petrichor.services.queues.QueueRows;
import petrichor.services.queues.QueueRows.Due;
import petrichor.services.queues.RowEdits;
import petrichor.services.queues.TaskCodec;
import petrichor.services.queues.TaskMethod;
import petrichor.services.queues.TaskWork;
import petrichor.services.queues.stored.StoredCronJob;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;
import petrichor.transactions.Snapshot;

/** The cron jobs of a project, in rows of its database. Calls block. Thread-safe. */
public final class CronJobs {
    private final QueueCommits commits;
    private final Runnable changed;
    private final TimeSource time;

    /**
     * @param changed called after a change of the jobs; must not block
     */
    public CronJobs(QueueCommits commits, Runnable changed, TimeSource time) {
        this.commits = commits;
        this.changed = changed;
        this.time = time;
    }

    /**
     * A job and its runs, in microseconds since 1970.
     *
     * @param lastMicros 0 if it has not run
     */
    public record Timed(CronJob job, long nextMicros, long lastMicros) {}

    /** In the order of their ids. */
    public List<Timed> all() {
        try (Snapshot snapshot = commits.database().snapshot()) {
            return List.copyOf(read(snapshot).values());
        }
    }

    private static Map<String, Timed> read(RowReader reader) {
        Map<String, Timed> jobs = new LinkedHashMap<>();
        try (RowCursor rows = reader.scan(QueueRows.cronJobs(), Direction.FORWARD)) {
            while (rows.next()) {
                Timed job = timed(TaskCodec.parse(StoredCronJob.parser(), rows.value()));
                jobs.put(job.job().id(), job);
            }
        }
        return jobs;
    }

    private static Timed timed(StoredCronJob stored) {
        CronJob job =
                new CronJob(
                        stored.getUrl(),
                        stored.getSchedule(),
                        stored.getTimezone(),
                        new CronJob.Options(
                                stored.getTarget(),
                                stored.getDescription(),
                                TaskCodec.policy(stored.getRetry()),
                                TaskCodec.duration(stored.getDeadlineMicros())));
        return new Timed(job, stored.getNextRunMicros(), stored.getLastRunMicros());
    }

    private static byte[] bytes(Timed timed) {
        CronJob job = timed.job();
        return StoredCronJob.newBuilder()
                .setUrl(job.url())
                .setSchedule(job.schedule())
                .setTimezone(job.timezone())
                .setTarget(job.options().target())
                .setDescription(job.options().description())
                .setRetry(TaskCodec.stored(job.options().retry()))
                .setDeadlineMicros(TaskCodec.micros(job.options().deadline()))
                .setNextRunMicros(timed.nextMicros())
                .setLastRunMicros(timed.lastMicros())
                .build()
                .toByteArray();
    }

    /** Replaces the jobs of the app; a job that it already has keeps its next run. */
    public void define(List<CronJob> jobs) {
        commits.<Integer>commit(
                edits -> {
                    Map<String, Timed> former = read(edits.reader());
                    for (CronJob job : jobs) {
                        Timed known = former.remove(job.id());
                        if (known == null) {
                            put(edits, new Timed(job, next(job, time.epochMicros()), 0));
                        } else if (!known.job().equals(job)) {
                            put(edits, new Timed(job, known.nextMicros(), known.lastMicros()));
                        }
                    }
                    former.keySet().forEach(id -> edits.remove(QueueRows.cronJob(id)));
                    if (!jobs.isEmpty()) {
                        CronTasks.provideQueue(edits);
                    }
                    return jobs.size();
                });
        changed.run();
    }

    private static void put(RowEdits edits, Timed job) {
        edits.put(QueueRows.cronJob(job.job().id()), bytes(job));
    }

    private static long next(CronJob job, long afterMicros) {
        Instant after = Instant.EPOCH.plus(afterMicros, ChronoUnit.MICROS);
        return ChronoUnit.MICROS.between(Instant.EPOCH, job.parsed().next(after));
    }

    /**
     * The result of a look at the jobs.
     *
     * @param tasks that were added to the queue of cron jobs
     * @param nextMicros when the next job is due; empty without jobs
     */
    public record Look(List<Due> tasks, Optional<Long> nextMicros) {}

    /**
     * Adds a task for each job that is due, and computes its next run after now: several times that
     * were missed result in one run. A job whose previous run has not ended is skipped.
     */
    public Look look() {
        if (all().stream().noneMatch(job -> job.nextMicros() <= time.epochMicros())) {
            return new Look(List.of(), nextOf(all()));
        }
        return commits.commit(
                edits -> {
                    long now = time.epochMicros();
                    List<Due> tasks = new ArrayList<>();
                    List<Timed> after = new ArrayList<>();
                    for (Timed job : read(edits.reader()).values()) {
                        if (job.nextMicros() > now) {
                            after.add(job);
                            continue;
                        }
                        Timed moved = new Timed(job.job(), next(job.job(), now), now);
                        put(edits, moved);
                        after.add(moved);
                        run(edits, job.job(), now).ifPresent(tasks::add);
                    }
                    return new Look(tasks, nextOf(after));
                });
    }

    private static Optional<Long> nextOf(List<Timed> jobs) {
        return jobs.stream().map(Timed::nextMicros).min(Long::compare);
    }

    private static Optional<Due> run(RowEdits edits, CronJob job, long now) {
        return CronTasks.add(
                edits,
                taskName(job),
                new TaskWork.Push(
                        TaskMethod.GET, job.url(), List.of(), new byte[0], job.options().target()),
                job.options().retry(),
                job.options().deadline(),
                now);
    }

    private static String taskName(CronJob job) {
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256")
                            .digest(job.id().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException everyPlatformHasIt) {
            throw new IllegalStateException(everyPlatformHasIt);
        }
    }
}
