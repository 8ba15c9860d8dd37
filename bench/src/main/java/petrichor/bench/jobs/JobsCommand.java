package petrichor.bench.jobs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.bench.Progress;
import petrichor.bench.Report;
import petrichor.bench.TemporaryFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code petrichor bench jobs}: what jobs cost, beside GNU sort, DuckDB, Polars and NumPy. */
@Command(
        name = "jobs",
        description =
                "Measures sort, word count, the smallest keys and TPC-H's third query, each in a"
                        + " process of its own, beside GNU sort, DuckDB, Polars and NumPy.",
        mixinStandardHelpOptions = true)
public final class JobsCommand implements Callable<Integer> {
    private static final String OURS = "petrichor";
    private static final String SORT = "sort";
    private static final String WORDS = "words";
    private static final String SMALLEST = "smallest";
    private static final String Q3 = "q3";

    /** CPU seconds of ours by those of the best peer. */
    private static final double RATIO_MAX = 1.5;

    @Option(
            names = "--only",
            split = ",",
            description = "Jobs to run: sort, words, smallest, q3. Default: all.")
    List<String> only = new ArrayList<>();

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
            names = "--tpch",
            description = "Folder with customer.tbl, orders.tbl and lineitem.tbl; q3 needs it.")
    @Nullable Path tpch;

    @Option(
            names = "--python",
            description =
                    "A Python that has duckdb, polars and numpy; without it they are left out.")
    @Nullable Path python;

    @Option(
            names = "--out",
            defaultValue = "docs/bench",
            description = "Folder for CSV and SVG (${DEFAULT-VALUE}).")
    Path out = Path.of("docs/bench");

    @Override
    public Integer call() throws Exception {
        for (String job : only) {
            if (!List.of(SORT, WORDS, SMALLEST, Q3).contains(job)) {
                throw PetrichorException.invalid(
                        "--only knows sort, words, smallest and q3, not " + job);
            }
        }
        Progress progress = Progress.onTerminal(System.err);
        Report report = new Report();
        try (TemporaryFolder folder = new TemporaryFolder()) {
            for (String job : List.of(SORT, WORDS, SMALLEST, Q3)) {
                if (only.isEmpty() || only.contains(job)) {
                    measure(job, folder, report, progress);
                }
            }
        }
        progress.done();
        report.print(System.out);
        report.write(out, "jobs");
        return report.allMet() ? 0 : 1;
    }

    private void measure(String job, TemporaryFolder folder, Report report, Progress progress)
            throws IOException, InterruptedException {
        Path input = input(job, folder, progress);
        if (input == null) {
            report.note(job + " was left out: name a folder with TPC-H's tables with --tpch");
            return;
        }
        Map<String, List<String>> contenders = contenders(job, input, folder);
        Map<String, List<Double>> seconds = new LinkedHashMap<>();
        for (int round = 0; round < rounds; round++) {
            for (Map.Entry<String, List<String>> contender : contenders.entrySet()) {
                String name = contender.getKey();
                progress.say(job + ", round " + (round + 1) + ": " + name);
                MeasuredProcess measured = MeasuredProcess.run(contender.getValue());
                seconds.computeIfAbsent(name, _ -> new ArrayList<>()).add(measured.cpuSeconds());
                report.note(
                        String.format(
                                Locale.ROOT,
                                "%s, %s: wall %.2f s, cpu %.2f s",
                                job,
                                name,
                                measured.wallSeconds(),
                                measured.cpuSeconds()));
            }
        }
        report(job, seconds, report);
    }

    private static void report(String job, Map<String, List<Double>> seconds, Report report) {
        double best = Double.MAX_VALUE;
        for (Map.Entry<String, List<Double>> peer : seconds.entrySet()) {
            if (!peer.getKey().equals(OURS)) {
                best = Math.min(best, median(peer.getValue()));
            }
        }
        for (Map.Entry<String, List<Double>> contender : seconds.entrySet()) {
            double cpu = median(contender.getValue());
            boolean ours = contender.getKey().equals(OURS) && best < Double.MAX_VALUE;
            report.add(
                    new Report.Figure(
                            job + ", " + contender.getKey() + ", CPU seconds",
                            cpu,
                            "s",
                            ours ? String.format(Locale.ROOT, "<= %.2f", RATIO_MAX * best) : "none",
                            !ours || cpu <= RATIO_MAX * best));
        }
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    private @Nullable Path input(String job, TemporaryFolder folder, Progress progress)
            throws IOException {
        if (job.equals(Q3)) {
            return tpch;
        }
        boolean words = job.equals(WORDS);
        Path file = folder.path(words ? "words" : "tera");
        if (!Files.exists(file)) {
            progress.say("making the data of " + job);
            try (OutputStream data = JobsData.open(file)) {
                if (words) {
                    JobsData.words(wordBytes, data);
                } else {
                    JobsData.tera(records, data);
                }
            }
        }
        return file;
    }

    private Map<String, List<String>> contenders(String job, Path input, TemporaryFolder folder)
            throws IOException {
        Map<String, List<String>> all = new LinkedHashMap<>();
        String output = folder.path("out-" + job).toString();
        all.put(OURS, JobsMain.command(job, input, output));
        if (job.equals(SORT)) {
            all.put(
                    "GNU sort",
                    List.of("sort", "-S", "3G", "--parallel=2", "-o", output, input.toString()));
        }
        if (python != null) {
            List<String> engines =
                    switch (job) {
                        case SORT, WORDS -> List.of("duckdb", "polars");
                        case Q3 -> List.of("duckdb");
                        case String _ -> List.of("numpy");
                    };
            for (String engine : engines) {
                all.put(
                        engine,
                        List.of(
                                python.toString(),
                                "-c",
                                peers(),
                                engine,
                                job,
                                input.toString(),
                                output));
            }
        }
        return all;
    }

    private static String peers() throws IOException {
        try (InputStream script = JobsCommand.class.getResourceAsStream("peers.py")) {
            if (script == null) {
                throw new IOException("peers.py is missing in this program");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
