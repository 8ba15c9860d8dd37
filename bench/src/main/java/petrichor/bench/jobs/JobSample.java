package petrichor.bench.jobs;

import java.util.Locale;

/** The measurements of one run of a job by one contender. */
record JobSample(MeasuredJob job, String contender, int round, MeasuredProcess process) {
    static final String CSV_HEAD = "job,contender,round,cpu_seconds,wall_seconds,peak_megabytes";

    String csv() {
        return String.format(
                Locale.ROOT,
                "%s,%s,%d,%.3f,%.3f,%d",
                job.displayName(),
                contender,
                round,
                process.cpuSeconds(),
                process.wallSeconds(),
                process.peakMegabytes());
    }
}
