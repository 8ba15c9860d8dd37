package petrichor.server.metrics;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.service.JobObserver;

/** Metrics of the server's jobs since its start. Thread-safe. */
public final class JobMeter implements JobObserver {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double[] BOUNDS_S = {
        0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 10_800
    };

    private static final List<JobState> OUTCOMES =
            List.of(JobState.FINISHED, JobState.FAILED, JobState.CANCELED);

    private final Counter ended =
            Counter.builder()
                    .name("petrichor_jobs_ended_total")
                    .help("Completed jobs, by outcome.")
                    .labelNames("outcome")
                    .withoutExemplars()
                    .build();
    private final Counter records =
            counter("petrichor_jobs_records_total", "Records emitted by tasks of jobs.");
    private final Counter bytes =
            counter("petrichor_jobs_record_bytes_total", "Bytes of these records.");
    private final Counter restarted =
            counter(
                    "petrichor_jobs_workers_lost_total",
                    "Stages restarted because a worker process or machine was lost.");
    private final Histogram queue =
            histogram("petrichor_jobs_queue_seconds", "Time from submission to start.");
    private final Histogram stages =
            histogram(
                    "petrichor_jobs_stage_seconds", "Time from a stage's first start to its end.");

    /** Creates a series per outcome, so that the first job counts as an increase. */
    public JobMeter() {
        OUTCOMES.forEach(outcome -> ended.initLabelValues(label(outcome)));
    }

    public void register(PrometheusRegistry registry) {
        List.of(ended, records, bytes, restarted, queue, stages).forEach(registry::register);
    }

    private static Counter counter(String name, String help) {
        return Counter.builder().name(name).help(help).withoutExemplars().build();
    }

    private static Histogram histogram(String name, String help) {
        return Histogram.builder()
                .name(name)
                .help(help)
                .classicOnly()
                .classicUpperBounds(BOUNDS_S)
                .withoutExemplars()
                .build();
    }

    private static String label(JobState outcome) {
        return outcome.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public void started(Duration queued) {
        queue.observe(queued.toNanos() / NANOS_PER_SECOND);
    }

    @Override
    public void ended(JobState outcome) {
        ended.labelValues(label(outcome)).inc();
    }

    @Override
    public void processed(long moreRecords, long moreBytes) {
        records.inc(moreRecords);
        bytes.inc(moreBytes);
    }

    @Override
    public void stageEnded(Duration took) {
        stages.observe(took.toNanos() / NANOS_PER_SECOND);
    }

    @Override
    public void stageRepeated() {
        restarted.inc();
    }
}
