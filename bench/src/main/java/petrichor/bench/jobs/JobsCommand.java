package petrichor.bench.jobs;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.bench.Progress;
import petrichor.bench.TemporaryFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code petrichor bench jobs}: the cost of jobs, compared with other programs for the same task.
 */
@Command(
        name = "jobs",
        description =
                "Measure sort, word count, the smallest keys and TPC-H query 3, each in its own"
                    + " process, against GNU sort, DuckDB, Polars, NumPy, DataFusion, chDB, Spark"
                    + " and Flink.",
        mixinStandardHelpOptions = true)
public final class JobsCommand implements Callable<Integer> {
    @Option(
            names = "--only",
            split = ",",
            description = "Jobs to run: empty, sort, words, smallest, q3. Default: all.")
    List<String> only = new ArrayList<>();

    @Option(
            names = "--skip",
            split = ",",
            description =
                    "Contenders to leave out: gnu-sort, duckdb, polars, numpy, datafusion, chdb,"
                        + " spark, flink (its SQL), flink-streams (its DataStream), on-flink (our"
                        + " own job, carried by Flink).")
    List<String> skip = new ArrayList<>();

    @Option(
            names = "--rounds",
            defaultValue = "3",
            description = "Counted rounds (${DEFAULT-VALUE}).")
    int rounds = 3;

    @Option(
            names = "--records",
            defaultValue = "10000000",
            description = "Records of 100 bytes to sort (${DEFAULT-VALUE}).")
    long records = 10_000_000;

    @Option(
            names = "--word-bytes",
            defaultValue = "500000000",
            description = "Bytes of text to count words in (${DEFAULT-VALUE}).")
    long wordBytes = 500_000_000;

    @Option(
            names = "--scale",
            defaultValue = "1",
            description =
                    "Multiplies records, bytes of text and the time that a run may take"
                            + " (${DEFAULT-VALUE}).")
    int scale = 1;

    @Option(
            names = "--tpch",
            description = "Folder with customer.tbl, orders.tbl and lineitem.tbl; q3 needs it.")
    @Nullable Path tpch;

    @Option(
            names = "--peers",
            description =
                    "Folder created by bench/peers/install; without it only GNU sort is compared.")
    @Nullable Path peers;

    @Option(
            names = "--python",
            description =
                    "Python interpreter with duckdb, polars, numpy, datafusion and chdb, instead of"
                            + " the installed one.")
    @Nullable Path python;

    @Option(
            names = "--memory",
            paramLabel = "MB",
            description =
                    "Memory limit for Petrichor and GNU sort, beyond which they spill to disk."
                            + " Default: nearly 2 GB, and 3 GB.")
    int memoryMegabytes;

    @Option(
            names = "--profiling",
            paramLabel = "PAIRS",
            description =
                    "Measure the cost of job profiling instead, with this many pairs of runs with"
                            + " and without it.")
    int profiling;

    @Option(
            names = "--out",
            defaultValue = "docs/bench",
            description = "Folder for CSV and SVG (${DEFAULT-VALUE}).")
    Path out = Path.of("docs/bench");

    @Override
    public Integer call() throws Exception {
        Set<MeasuredJob> jobs = jobs();
        for (String contender : skip) {
            if (!JobContenders.OTHERS.contains(contender)) {
                throw PetrichorException.invalid(
                        "--skip knows "
                                + String.join(", ", JobContenders.OTHERS)
                                + ", not "
                                + contender);
            }
        }
        if (scale < 1) {
            throw PetrichorException.invalid("--scale is a factor from 1 on, not " + scale);
        }
        records *= scale;
        wordBytes *= scale;
        if (profiling > 0) {
            return profilingCost();
        }
        Path installed = peers == null ? null : peers.toAbsolutePath();
        if (installed != null && !JobContenders.installedIn(installed)) {
            throw PetrichorException.invalid(
                    "nothing to run jobs is installed in "
                            + installed
                            + "; run bench/peers/install "
                            + installed
                            + " jobs");
        }
        Progress progress = Progress.onTerminal(System.err);
        JobsReport report = new JobsReport();
        try (TemporaryFolder folder = new TemporaryFolder()) {
            JobContenders contenders =
                    new JobContenders(
                            installed,
                            python,
                            new HashSet<>(skip),
                            memoryMegabytes,
                            Files.createDirectory(folder.path("scratch")));
            for (MeasuredJob job : jobs) {
                Path input = input(job, folder, progress);
                if (input == null) {
                    report.note("q3 was skipped: pass a folder with TPC-H's tables with --tpch");
                    continue;
                }
                Path output = folder.path("result");
                new JobRounds(
                                job,
                                contenders.of(job, input, output),
                                output,
                                JobRounds.RUN_MAX.multipliedBy(scale),
                                report,
                                progress)
                        .run(rounds);
                report.write(out); // an interrupted run keeps the jobs that have ended
                if (job != MeasuredJob.Q3 && job != MeasuredJob.SORT) {
                    Files.deleteIfExists(input);
                }
            }
        }
        progress.done();
        if (installed == null) {
            report.note(
                    "to compare with more engines, run bench/peers/install DIR jobs and pass"
                            + " --peers DIR");
        }
        report.print(System.out);
        report.write(out);
        return report.allMet() ? 0 : 1;
    }

    private int profilingCost() throws IOException, InterruptedException {
        Progress progress = Progress.onTerminal(System.err);
        try (TemporaryFolder folder = new TemporaryFolder()) {
            Path input = tera(folder, progress);
            progress.say("running " + 2 * profiling + " times and more");
            ProfilingCost cost =
                    ProfilingCost.measure(
                            input, folder.path("result"), profiling, folder.path("log"));
            progress.done();
            System.out.println(cost);
            return cost.met() ? 0 : 1;
        }
    }

    private Set<MeasuredJob> jobs() {
        Set<MeasuredJob> jobs = EnumSet.noneOf(MeasuredJob.class);
        only.forEach(word -> jobs.add(MeasuredJob.of(word)));
        if (only.isEmpty()) {
            jobs.addAll(Arrays.asList(MeasuredJob.values()));
        }
        return jobs;
    }

    private @Nullable Path input(MeasuredJob job, TemporaryFolder folder, Progress progress)
            throws IOException {
        return switch (job) {
            case Q3 -> tpch == null ? null : tpch.toAbsolutePath();
            case WORDS -> {
                progress.say("making " + wordBytes + " bytes of words");
                Path file = folder.path("words");
                try (OutputStream data = JobsData.open(file)) {
                    JobsData.words(wordBytes, data);
                }
                yield file;
            }
            case EMPTY -> {
                Path file = folder.path("empty");
                try (OutputStream data = JobsData.open(file)) {
                    JobsData.tera(1, data);
                }
                yield file;
            }
            case SORT, SMALLEST -> tera(folder, progress);
        };
    }

    private Path tera(TemporaryFolder folder, Progress progress) throws IOException {
        Path file = folder.path("tera");
        if (!Files.exists(file)) {
            progress.say("making " + records + " records");
            try (OutputStream data = JobsData.open(file)) {
                JobsData.tera(records, data);
            }
        }
        return file;
    }
}
