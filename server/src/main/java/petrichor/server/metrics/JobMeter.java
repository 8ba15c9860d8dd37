package petrichor.server.metrics;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.service.JobObserver;

/** What the jobs of a server did since it started. Safe for any thread. */
public final class JobMeter implements JobObserver {
    private static final double[] BOUNDS_S = {
        0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 10_800
    };

    private static final List<JobState> OUTCOMES =
            List.of(JobState.FINISHED, JobState.FAILED, JobState.CANCELED);

    private final Map<JobState, LongAdder> ended = new ConcurrentHashMap<>();
    private final LongAdder records = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder repeated = new LongAdder();
    private final DurationHistogram queue = new DurationHistogram(BOUNDS_S);
    private final DurationHistogram stages = new DurationHistogram(BOUNDS_S);

    @Override
    public void started(Duration queued) {
        queue.add(queued.toNanos());
    }

    @Override
    public void ended(JobState outcome) {
        ended.computeIfAbsent(outcome, _ -> new LongAdder()).increment();
    }

    @Override
    public void processed(long moreRecords, long moreBytes) {
        records.add(moreRecords);
        bytes.add(moreBytes);
    }

    @Override
    public void stageEnded(Duration took) {
        stages.add(took.toNanos());
    }

    @Override
    public void stageRepeated() {
        repeated.increment();
    }

    /**
     * @param running jobs now
     * @param queued jobs that wait now
     */
    public void write(StringBuilder text, int running, int queued) {
        Exposition out = new Exposition(text);
        out.single("gauge", "petrichor_jobs_running", "Running jobs.", running);
        out.single("gauge", "petrichor_jobs_queued", "Queued jobs.", queued);
        out.family("counter", "petrichor_jobs_ended_total", "Completed jobs, by outcome.");
        for (JobState outcome : OUTCOMES) {
            LongAdder count = ended.get(outcome);
            out.line(
                    "petrichor_jobs_ended_total",
                    Map.of("outcome", outcome.name().toLowerCase(Locale.ROOT)),
                    count == null ? 0 : count.sum());
        }
        out.single(
                "counter",
                "petrichor_jobs_records_total",
                "Records emitted by tasks of jobs.",
                records.sum());
        out.single(
                "counter",
                "petrichor_jobs_record_bytes_total",
                "Bytes of these records.",
                bytes.sum());
        out.single(
                "counter",
                "petrichor_jobs_workers_lost_total",
                "Stages restarted because a worker process or machine was lost.",
                repeated.sum());
        out.family("histogram", "petrichor_jobs_queue_seconds", "Time from submission to start.");
        queue.write(out, "petrichor_jobs_queue_seconds", Map.of());
        out.family(
                "histogram",
                "petrichor_jobs_stage_seconds",
                "Time from a stage's first start to its end.");
        stages.write(out, "petrichor_jobs_stage_seconds", Map.of());
    }
}
