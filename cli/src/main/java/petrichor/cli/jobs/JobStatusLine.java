package petrichor.cli.jobs;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import petrichor.jobs.jobgraph.ChannelMetrics;
import petrichor.jobs.jobgraph.RepeatedStage;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.service.JobSnapshot;
import petrichor.jobs.service.Progress;
import petrichor.jobs.service.TaskSnapshot;

/**
 * Formats the progress of a job in one line: its stage, the share of the sources that is read,
 * number and rate of records, compression of blocks, and the share of time that tasks wait. Rates
 * are measured since the previous line, which is at least a second older. Confined to one thread.
 */
final class JobStatusLine {
    private static final long RATE_NANOS_MIN = 1_000_000_000;
    private static final int NAME_CHARS_MAX = 30;

    private long sinceNanos = System.nanoTime();
    private long sinceRecords;
    private long sinceBytes;
    private double recordsPerSecond;
    private double bytesPerSecond;
    private final SourceProgress progress = new SourceProgress();

    String of(JobSnapshot job) {
        SubtaskMetrics through = SubtaskMetrics.NONE;
        SubtaskMetrics all = SubtaskMetrics.NONE;
        for (TaskSnapshot task : job.tasks()) {
            all = all.plus(task.metrics());
            if (task.isSource()) {
                through = through.plus(task.metrics());
            }
        }
        rate(through);
        StringBuilder line = new StringBuilder(job.name());
        switch (job.state()) {
            case CREATED, SCHEDULED -> line.append(": queued");
            case CANCELING -> line.append(": stopping");
            case RUNNING, FINISHED, FAILING, FAILED, CANCELED -> {
                where(line, job);
                line.append(progress.of(job.tasks(), System.nanoTime()));
                line.append(
                        String.format(
                                Locale.ROOT,
                                "  %,d records  %,.0f/s  %s/s",
                                through.recordsIn(),
                                recordsPerSecond,
                                megabytes(bytesPerSecond)));
                if (all.level() != null) {
                    line.append("  ").append(compression(all));
                }
                if (all.elapsedNanos() > 0) {
                    line.append("  waiting ")
                            .append(100 * all.waitingNanos() / all.elapsedNanos())
                            .append(" %");
                }
            }
        }
        return line.toString();
    }

    private static void where(StringBuilder line, JobSnapshot job) {
        Optional<TaskSnapshot> running =
                job.tasks().stream().filter(TaskSnapshot::isRunning).findFirst();
        if (job.job().getParts() > 1) {
            line.append("  part ")
                    .append(job.job().getPart() + 1)
                    .append('/')
                    .append(job.job().getParts());
        }
        if (job.job().getRound() > 0) {
            line.append("  round ").append(job.job().getRound() + 1);
        }
        running.ifPresent(
                task -> {
                    String name = task.task().getName();
                    line.append("  stage ")
                            .append(task.task().getStage() + 1)
                            .append('/')
                            .append(job.job().getStages())
                            .append("  ")
                            .append(
                                    name.length() <= NAME_CHARS_MAX
                                            ? name
                                            : name.substring(0, NAME_CHARS_MAX - 1) + "…");
                });
    }

    private void rate(SubtaskMetrics through) {
        long now = System.nanoTime();
        if (through.recordsIn() < sinceRecords) {
            // A new iteration has started.
            sinceRecords = 0;
            sinceBytes = 0;
        }
        if (now - sinceNanos >= RATE_NANOS_MIN) {
            double seconds = (now - sinceNanos) / 1e9;
            recordsPerSecond = (through.recordsIn() - sinceRecords) / seconds;
            bytesPerSecond = (through.bytesIn() - sinceBytes) / seconds;
            sinceNanos = now;
            sinceRecords = through.recordsIn();
            sinceBytes = through.bytesIn();
        }
    }

    static String megabytes(double bytes) {
        return String.format(Locale.ROOT, "%,.1f MB", bytes / 1e6);
    }

    /** How the newest block was compressed, and what all of them became. */
    private static String compression(SubtaskMetrics metrics) {
        return metrics.level()
                + " "
                + megabytes((double) metrics.channelBytes())
                + " → "
                + megabytes((double) metrics.wireBytes());
    }

    /** One row per task; columns of channels are included if channels exist. */
    static List<Map<String, String>> rows(JobSnapshot job) {
        boolean channels = job.tasks().stream().anyMatch(task -> task.metrics().level() != null);
        return job.tasks().stream().map(task -> row(task, channels)).toList();
    }

    /** One line per change in the number of subtasks while the job ran. */
    static List<String> scalings(JobSnapshot job) {
        return job.tasks().stream()
                .flatMap(
                        task ->
                                task.scalings().stream()
                                        .map(each -> task.task().getName() + " " + each.text()))
                .toList();
    }

    /** One line per job that a program's {@code main} submitted, if it submitted several. */
    static List<String> plans(JobSnapshot job) {
        List<Progress.SubmittedPlan> plans = job.job().getJobsList();
        return plans.size() < 2 ? List.of() : plans.stream().map(JobStatusLine::plan).toList();
    }

    private static String plan(Progress.SubmittedPlan plan) {
        String took =
                plan.hasElapsedMillis()
                        ? String.format(Locale.ROOT, " in %.2f s", plan.getElapsedMillis() / 1e3)
                        : "";
        return plan.getName()
                + ": "
                + plan.getState().name().toLowerCase(Locale.ROOT)
                + took
                + (plan.hasFailure() ? ": " + plan.getFailure() : "");
    }

    /** One line per restarted stage. */
    static List<String> repeats(JobSnapshot job) {
        return job.attempts().stream().map(RepeatedStage::text).toList();
    }

    /** The counters of the job's code, one line per group and name. */
    static List<String> counters(JobSnapshot job) {
        List<String> lines = new ArrayList<>();
        job.counters()
                .groups()
                .forEach(
                        (group, counted) -> {
                            lines.add(group);
                            counted.forEach((name, count) -> lines.add("  " + name + "=" + count));
                        });
        return lines;
    }

    private static Map<String, String> row(TaskSnapshot task, boolean channels) {
        SubtaskMetrics metrics = task.metrics();
        Map<String, String> row = new java.util.LinkedHashMap<>();
        row.put("task", task.task().getName());
        row.put("operation", task.task().getOperation());
        row.put("subtasks", Integer.toString(task.subtasksMost()));
        row.put("state", task.state().name().toLowerCase(Locale.ROOT));
        row.put("records in", String.format(Locale.ROOT, "%,d", metrics.recordsIn()));
        row.put("records out", String.format(Locale.ROOT, "%,d", metrics.recordsOut()));
        // A source's records may be splits, as in Hadoop's jobs: the records in them count.
        row.put("in", megabytes((double) Math.max(metrics.bytesIn(), metrics.sourceBytesRead())));
        row.put("out", megabytes((double) metrics.bytesOut()));
        row.put("worked", String.format(Locale.ROOT, "%.2f s", metrics.processingNanos() / 1e9));
        row.put("waited", String.format(Locale.ROOT, "%.2f s", metrics.waitingNanos() / 1e9));
        row.put("fullest channel", fullest(task));
        if (channels) {
            row.put("compressed", metrics.level() == null ? "" : compression(metrics));
        }
        return row;
    }

    private static String fullest(TaskSnapshot task) {
        OptionalDouble saturation =
                task.subtaskMetrics().stream()
                        .flatMap(subtask -> subtask.channels().stream())
                        .mapToDouble(ChannelMetrics::saturation)
                        .max();
        return saturation.isPresent() ? Math.round(100 * saturation.getAsDouble()) + " %" : "";
    }
}
