package petrichor.bench.jobs;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import petrichor.base.TextTable;

/**
 * The results: a table of medians with the targets, a CSV with every sample, and an SVG of
 * processor seconds relative to Petrichor's.
 */
final class JobsReport {
    /** Target: processor seconds of Petrichor relative to those of Spark, and to those of Flink. */
    private static final double OF_CLUSTER_ENGINES_MAX = 1.0 / 3;

    /** Target relative to the best of all others. */
    private static final double OF_BEST_MAX = 1.5;

    /** Target on Flink, relative to the cheapest of Flink's own programs. */
    private static final double ON_FLINK_MAX = 1.3;

    private static final List<String> FLINKS_OWN =
            List.of(JobContenders.FLINK, JobContenders.FLINK_STREAMS);

    private static final Set<String> CLUSTER_ENGINES =
            Set.of(JobContenders.SPARK, JobContenders.FLINK, JobContenders.FLINK_STREAMS);

    private static final Set<String> OURS = Set.of(JobContenders.OURS, JobContenders.OURS_ON_FLINK);

    private final List<JobSample> samples = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private boolean failed;

    /** The results of a contender in a job: medians, and the comparison with Petrichor. */
    record Line(MeasuredJob job, String contender, double cpu, double wall, double peak) {}

    void add(JobSample sample) {
        samples.add(sample);
    }

    /** Excludes a contender from a job, with all of its samples. */
    void leaveOut(MeasuredJob job, String contender, String why) {
        samples.removeIf(sample -> sample.job() == job && sample.contender().equals(contender));
        failed |= OURS.contains(contender);
        note(job.displayName() + ": " + contender + " was excluded: " + why);
    }

    /** Adds a note for the reader, above all about measurements that were impossible and why. */
    void note(String text) {
        notes.add(text);
    }

    boolean allMet() {
        return !failed
                && lines().stream().allMatch(this::met)
                && jobs().stream().noneMatch(job -> onFlink(job) > ON_FLINK_MAX);
    }

    private List<MeasuredJob> jobs() {
        return samples.stream().map(JobSample::job).distinct().toList();
    }

    /**
     * Processor seconds of Petrichor on Flink relative to the cheapest of Flink's own programs; NaN
     * without either.
     */
    double onFlink(MeasuredJob job) {
        double own =
                FLINKS_OWN.stream()
                        .mapToDouble(each -> median(job, each, MeasuredProcess::cpuSeconds))
                        .filter(seconds -> !Double.isNaN(seconds))
                        .min()
                        .orElse(Double.NaN);
        return job == MeasuredJob.EMPTY
                ? Double.NaN
                : median(job, JobContenders.OURS_ON_FLINK, MeasuredProcess::cpuSeconds) / own;
    }

    /** In the order in which the contenders ran. */
    List<Line> lines() {
        return samples.stream()
                .map(sample -> new Line(sample.job(), sample.contender(), 0, 0, 0))
                .distinct()
                .map(line -> line(line.job, line.contender))
                .toList();
    }

    private Line line(MeasuredJob job, String contender) {
        return new Line(
                job,
                contender,
                median(job, contender, MeasuredProcess::cpuSeconds),
                median(job, contender, MeasuredProcess::wallSeconds),
                median(job, contender, MeasuredProcess::peakMegabytes));
    }

    private double median(MeasuredJob job, String contender, ToDoubleFunction<MeasuredProcess> of) {
        double[] sorted =
                samples.stream()
                        .filter(each -> each.job() == job && each.contender().equals(contender))
                        .map(JobSample::process)
                        .mapToDouble(of)
                        .sorted()
                        .toArray();
        int middle = sorted.length / 2;
        if (sorted.length == 0) {
            return Double.NaN;
        }
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** Processor seconds of Petrichor relative to the contender's. */
    double ratio(Line line) {
        return median(line.job, JobContenders.OURS, MeasuredProcess::cpuSeconds) / line.cpu;
    }

    /** Wall time of Petrichor relative to the contender's. */
    double wallRatio(Line line) {
        return median(line.job, JobContenders.OURS, MeasuredProcess::wallSeconds) / line.wall;
    }

    /** The target: maximum of the ratio; infinite if there is none. */
    double promised(Line line) {
        if (line.job == MeasuredJob.EMPTY) {
            return Double.POSITIVE_INFINITY;
        }
        if (CLUSTER_ENGINES.contains(line.contender)) {
            return OF_CLUSTER_ENGINES_MAX;
        }
        boolean best =
                lines().stream()
                        .filter(each -> each.job == line.job)
                        .filter(each -> !OURS.contains(each.contender))
                        .filter(each -> !CLUSTER_ENGINES.contains(each.contender))
                        .min(Comparator.comparingDouble(Line::cpu))
                        .filter(line::equals)
                        .isPresent();
        return best ? OF_BEST_MAX : Double.POSITIVE_INFINITY;
    }

    boolean met(Line line) {
        return !(ratio(line) > promised(line));
    }

    void print(PrintStream out) {
        TextTable table = TextTable.metrics(out);
        for (Line line : lines()) {
            boolean ours = line.contender.equals(JobContenders.OURS);
            table.row(
                    "job",
                    line.job.displayName(),
                    "contender",
                    line.contender,
                    "cpu s",
                    String.format(Locale.ROOT, "%.2f", line.cpu),
                    "wall s",
                    String.format(Locale.ROOT, "%.2f", line.wall),
                    "peak MB",
                    String.format(Locale.ROOT, "%.0f", line.peak),
                    "ours by its wall",
                    ours ? "" : String.format(Locale.ROOT, "%.2f", wallRatio(line)),
                    "ours by its cpu",
                    ours ? "" : String.format(Locale.ROOT, "%.2f", ratio(line)),
                    "target",
                    ours ? "" : verdict(line));
        }
        table.end();
        for (MeasuredJob job : jobs()) {
            double ratio = onFlink(job);
            if (!Double.isNaN(ratio)) {
                out.printf(
                        Locale.ROOT,
                        "%s on Flink: %.2f of the processor time of Flink's own program, or the"
                                + " cheaper of two (target %.2f: %s)%n",
                        job.displayName(),
                        ratio,
                        ON_FLINK_MAX,
                        ratio <= ON_FLINK_MAX ? "met" : "MISSED");
            }
        }
        notes.forEach(note -> out.println("note: " + note));
    }

    private String verdict(Line line) {
        double promised = promised(line);
        return Double.isInfinite(promised)
                ? ""
                : String.format(
                        Locale.ROOT, "at most %.2f: %s", promised, met(line) ? "met" : "MISSED");
    }

    /** Writes {@code jobs.csv} and {@code jobs.svg}. */
    void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        List<String> csv = new ArrayList<>();
        csv.add(JobSample.CSV_HEAD);
        samples.stream().map(JobSample::csv).forEach(csv::add);
        Files.write(folder.resolve("jobs.csv"), csv);
        Files.writeString(folder.resolve("jobs.svg"), new JobsDrawing(this).svg());
    }
}
