package petrichor.bench.cloud;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import petrichor.bench.ResultTable;
import petrichor.bench.TemporaryFolder;
import petrichor.cloud.leasing.CostReport;
import petrichor.cloud.leasing.LeaseLine;
import petrichor.cloud.leasing.LeaseState;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.hosted.StageRuntime;
import petrichor.jobs.formats.CsvSink;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.leased.LeaseSetting;
import petrichor.jobs.leased.LeasedMachines;
import petrichor.jobs.leased.StageCut;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.service.Backends;

/**
 * The job of chapter 3 at a small size on this machine: the smallest fifth of random numbers, and
 * its mean, in the same three forms, on worker processes with cores and memory of their own. Their
 * cost is their price for the leased time, without the minimum of one minute that clouds bill: at
 * this size it would dominate. The cost of a fixed cluster is that of the maximum number of
 * machines for the whole time.
 */
final class LocalNephele {
    private static final String LARGE = "large";
    private static final String SMALL = "small";

    /** Per hour; as in the thesis. */
    private static final double LARGE_DOLLARS = 0.8;

    private static final double SMALL_DOLLARS = 0.1;

    private static final double ROUNDING_MAX = 1e-9;
    private static final int SMALLEST = 5;
    private static final int MACHINES = 3;
    private static final Duration STEP = Duration.ofMillis(100);

    private static LeaseSetting setting(Path folder) {
        return LeaseSetting.in(folder)
                .withTypes(
                        List.of(
                                LeaseSetting.type(SMALL, 1, 384, "" + SMALL_DOLLARS),
                                LeaseSetting.type(LARGE, 2, 512, "" + LARGE_DOLLARS)))
                .withMachinesMax(MACHINES);
    }

    private final Path out;
    private final int numbers;
    private final boolean flink;

    /** One run of one form. */
    private record Run(
            SortAggregate form,
            String result,
            Duration elapsed,
            Duration idle,
            List<SortAggregateRun.Moment> moments) {
        String title() {
            return form.title();
        }

        double seconds() {
            return elapsed.toMillis() / 1e3;
        }

        double dollars() {
            double hours = STEP.toMillis() / 3_600_000.0;
            return moments.stream().mapToDouble(Run::perHour).sum() * hours;
        }

        double fixedDollars() {
            return moments.stream().mapToDouble(Run::perHour).max().orElse(0) * seconds() / 3600;
        }

        private static double perHour(SortAggregateRun.Moment moment) {
            return moment.large() * LARGE_DOLLARS + moment.small() * SMALL_DOLLARS;
        }
    }

    /**
     * @param flink whether Flink runs the jobs, on a fixed cluster in this process: then there are
     *     only two forms
     */
    LocalNephele(Path out, int numbers, boolean flink) {
        this.out = out;
        this.numbers = numbers;
        this.flink = flink;
    }

    void run() throws IOException {
        List<Run> runs = new ArrayList<>();
        try (TemporaryFolder folder = new TemporaryFolder()) {
            Path input = numbers(folder.path("numbers.csv"));
            Files.createDirectories(folder.path("spill"));
            for (SortAggregate form : SortAggregate.values()) {
                if (!flink) {
                    runs.add(run(form, input, folder));
                } else if (form != SortAggregate.MAPREDUCE_STAGES) {
                    runs.add(runOnFlink(form, input, folder));
                }
            }
        }
        for (Run run : runs) {
            double off =
                    Double.parseDouble(run.result()) / Double.parseDouble(runs.getFirst().result())
                            - 1;
            // A mean is a sum, whose last digits depend on the order.
            if (Math.abs(off) > ROUNDING_MAX) {
                throw new IllegalStateException("the means differ: " + runs);
            }
        }
        write(runs);
    }

    private Path numbers(Path file) throws IOException {
        Random random = new Random(1);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < numbers; i++) {
            text.append(random.nextLong(HadoopPrograms.NUMBERS_END)).append('\n');
        }
        return Files.writeString(file, text);
    }

    private Run run(SortAggregate form, Path input, TemporaryFolder folder) throws IOException {
        Path result = folder.path(form.name());
        LeaseSetting setting =
                setting(folder.path("machines-" + form))
                        .withCut(
                                form == SortAggregate.DAG ? StageCut.MACHINES : StageCut.EXCHANGES);
        LeasedMachines machines = LeasedMachines.open(setting, form.name(), _ -> {});
        String mean;
        try (machines) {
            mean =
                    mean(
                            form,
                            Jobs.local()
                                    .with(
                                            EngineOptions.ofThisProcess()
                                                    .withSpillFolder(folder.path("spill")))
                                    .with(machines),
                            input,
                            result);
        }
        CostReport cost = machines.cost();
        return new Run(form, mean, cost.elapsed(), cost.idle(), moments(machines.leases()));
    }

    /** Runs on a fixed cluster of large Flink machines. */
    private Run runOnFlink(SortAggregate form, Path input, TemporaryFolder folder)
            throws IOException {
        List<SortAggregateRun.Moment> moments = new ArrayList<>();
        Backends.silence();
        try (StageRuntime flink = Backends.open("flink", List.of());
                LoadWatch load = LoadWatch.start(STEP)) {
            String mean =
                    mean(
                            form,
                            Jobs.local()
                                    .with(
                                            EngineOptions.ofThisProcess()
                                                    .withSpillFolder(folder.path("spill")))
                                    .with(flink),
                            input,
                            folder.path(form.name()));
            Duration elapsed = load.elapsed();
            for (LoadWatch.Sample sample : load.samples()) {
                moments.add(
                        new SortAggregateRun.Moment(
                                sample.at().toMillis() / 60_000.0, MACHINES, 0, sample.share()));
            }
            return new Run(form, mean, elapsed, Duration.ZERO, moments);
        }
    }

    /** MapReduce runs Hadoop's own programs, job after job; the DAG is one plan. */
    private String mean(SortAggregate form, Jobs jobs, Path input, Path result) throws IOException {
        return switch (form) {
            case MAPREDUCE_FIXED, MAPREDUCE_STAGES ->
                    new HadoopChain(result, numbers / SMALLEST, 2 * MACHINES, LARGE)
                            .run(jobs, input);
            case DAG -> {
                jobs.run(plan(input, result));
                yield Files.readString(result).trim();
            }
        };
    }

    private Plan plan(Path input, Path result) {
        Plan plan = Plan.named(SortAggregate.DAG.title()).parallelism(2 * MACHINES);
        var sorted =
                plan.read(
                                CsvSource.of(
                                        input.toString(),
                                        new CsvSource.Dialect(',', false),
                                        Field.int64("number")))
                        .onMachines(LARGE)
                        .sortBy(Key.of(0));
        var smallest = sorted.first(numbers / SMALLEST).parallelism(1);
        // All of Flink's machines are of the same type.
        smallest.onMachines(flink ? LARGE : SMALL)
                .aggregate(Aggregate.average(0))
                .parallelism(1)
                .write(
                        new CsvSink(
                                Target.file(result.toString()), new CsvSource.Dialect(',', false)));
        return plan;
    }

    /** The utilisation over time, from the lease journal. */
    private static List<SortAggregateRun.Moment> moments(List<LeaseLine> lines) {
        List<SortAggregateRun.Moment> moments = new ArrayList<>();
        if (lines.isEmpty()) {
            return moments;
        }
        Instant begin = lines.getFirst().at();
        Instant end = lines.getLast().at();
        for (Instant now = begin; now.isBefore(end); now = now.plus(STEP)) {
            moments.add(moment(lines, begin, now));
        }
        return moments;
    }

    private static SortAggregateRun.Moment moment(
            List<LeaseLine> lines, Instant begin, Instant now) {
        Map<String, LeaseLine> last = new HashMap<>();
        for (LeaseLine line : lines) {
            if (!line.at().isAfter(now)) {
                last.put(line.token(), line);
            }
        }
        int large = 0;
        int small = 0;
        int working = 0;
        for (LeaseLine line : last.values()) {
            boolean there = line.running().isPresent() && line.state() != LeaseState.ENDED;
            large += there && line.type().equals(LARGE) ? 1 : 0;
            small += there && line.type().equals(SMALL) ? 1 : 0;
            working += line.state() == LeaseState.USED ? 1 : 0;
        }
        double minute = Duration.between(begin, now).toMillis() / 60_000.0;
        return new SortAggregateRun.Moment(
                minute, large, small, large + small == 0 ? 0 : (double) working / (large + small));
    }

    private void write(List<Run> runs) throws IOException {
        double fixed = runs.getFirst().fixedDollars();
        List<String> csv = new ArrayList<>(List.of("form,minute,large,small,at_work"));
        List<List<String>> rows = new ArrayList<>();
        System.out.printf(
                Locale.ROOT,
                "%n%,d numbers on this machine%s, priced for the time of the leases%n",
                numbers,
                flink ? ", on Flink" : "");
        for (Run run : runs) {
            // The first form has its cluster from the beginning to the end.
            double cost = run.form() == SortAggregate.MAPREDUCE_FIXED ? fixed : run.dollars();
            double seconds = run.seconds();
            System.out.printf(
                    Locale.ROOT,
                    "%-28s %8.1f s  $%.5f  %4.0f%%  idle %.1f s%n",
                    run.title(),
                    seconds,
                    cost,
                    100 * cost / fixed,
                    run.idle().toMillis() / 1e3);
            rows.add(
                    List.of(
                            run.title(),
                            String.format(Locale.ROOT, "%,d", numbers),
                            String.format(Locale.ROOT, "%.1f s", seconds),
                            String.format(Locale.ROOT, "$%.5f", cost),
                            String.format(Locale.ROOT, "%.0f %%", 100 * cost / fixed)));
            for (SortAggregateRun.Moment moment : run.moments()) {
                csv.add(
                        String.format(
                                Locale.ROOT,
                                "%s,%.4f,%d,%d,%.2f",
                                run.title().replace(",", ""),
                                moment.minute(),
                                moment.large(),
                                moment.small(),
                                moment.utilisation()));
            }
        }
        String chart =
                MachinesChart.svg(
                        (flink ? "Load" : "Machines at work")
                                + " (blue, left), large (red) and small (green, right) over"
                                + " minutes, on this machine",
                        runs.stream()
                                .map(run -> new MachinesChart.Panel(run.title(), run.moments()))
                                .toList(),
                        1);
        String name = flink ? "nephele-flink" : "nephele-local";
        Files.write(out.resolve(name + ".csv"), csv);
        Files.writeString(out.resolve(name + ".svg"), chart);
        new ResultTable(List.of("form", "numbers", "time", "cost", "of the fixed cluster's"), rows)
                .write(out.resolve(name + "-results.csv"));
    }
}
