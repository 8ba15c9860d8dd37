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
import petrichor.bench.TemporaryFolder;
import petrichor.cloud.leasing.CostReport;
import petrichor.cloud.leasing.LeaseLine;
import petrichor.cloud.leasing.LeaseState;
import petrichor.jobs.engine.EngineOptions;
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

/**
 * The job of chapter 3 at a small size on this machine: the fifth of random numbers that is the
 * smallest, and its mean, in the same three forms, on worker processes with cores and memory of
 * their own. What they cost is their price for the time that they were leased, without the minute
 * that clouds bill at least: at this size it would be all that one sees. The fixed cluster is its
 * most machines from beginning to end.
 */
final class LocalNephele {
    private static final String LARGE = "large";
    private static final String SMALL = "small";

    /** An hour; as in the thesis. */
    private static final double LARGE_DOLLARS = 0.8;

    private static final double SMALL_DOLLARS = 0.1;

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

    /** One form, once. */
    private record Run(
            SortAggregate form,
            String result,
            CostReport cost,
            List<SortAggregateRun.Moment> moments) {
        String title() {
            return form.title();
        }

        double seconds() {
            return cost.elapsed().toMillis() / 1e3;
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

    LocalNephele(Path out, int numbers) {
        this.out = out;
        this.numbers = numbers;
    }

    void run() throws IOException {
        List<Run> runs = new ArrayList<>();
        try (TemporaryFolder folder = new TemporaryFolder()) {
            Path input = numbers(folder.path("numbers.csv"));
            Files.createDirectories(folder.path("spill"));
            for (SortAggregate form : SortAggregate.values()) {
                runs.add(run(form, input, folder));
            }
        }
        for (Run run : runs) {
            if (!run.result().equals(runs.getFirst().result())) {
                throw new IllegalStateException("not the same mean: " + runs);
            }
        }
        write(runs);
    }

    private Path numbers(Path file) throws IOException {
        Random random = new Random(1);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < numbers; i++) {
            text.append(random.nextInt(1_000_000_000)).append('\n');
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
        try (machines) {
            Jobs.local()
                    .with(EngineOptions.ofThisProcess().withSpillFolder(folder.path("spill")))
                    .with(machines)
                    .run(plan(form, input, result));
        }
        return new Run(form, Files.readString(result), machines.cost(), moments(machines.leases()));
    }

    private Plan plan(SortAggregate form, Path input, Path result) {
        Plan plan = Plan.named(form.title()).parallelism(2 * MACHINES);
        var sorted =
                plan.read(
                                CsvSource.of(
                                        input.toString(),
                                        new CsvSource.Dialect(',', false),
                                        Field.int64("number")))
                        .onMachines(LARGE)
                        .sortBy(Key.of(0));
        var smallest = sorted.first(numbers / SMALLEST).parallelism(1);
        var mean =
                form == SortAggregate.DAG
                        ? smallest.onMachines(SMALL).aggregate(Aggregate.average(0))
                        : smallest.aggregate(Aggregate.average(0));
        mean.parallelism(1)
                .write(
                        new CsvSink(
                                Target.file(result.toString()), new CsvSource.Dialect(',', false)));
        return plan;
    }

    /** What there was over time, as the journal of leases says. */
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
        StringBuilder rows = new StringBuilder();
        System.out.printf(
                Locale.ROOT,
                "%n%,d numbers on this machine, priced for the time of the leases%n",
                numbers);
        for (Run run : runs) {
            // The first form has its cluster from beginning to end.
            double cost = run.form() == SortAggregate.MAPREDUCE_FIXED ? fixed : run.dollars();
            double seconds = run.seconds();
            System.out.printf(
                    Locale.ROOT,
                    "%-28s %8.1f s  $%.5f  %4.0f%%  idle %.1f s%n",
                    run.title(),
                    seconds,
                    cost,
                    100 * cost / fixed,
                    run.cost().idle().toMillis() / 1e3);
            rows.append(
                    String.format(
                            Locale.ROOT,
                            "<tr><td>%s</td><td>%.1f s</td><td>$%.5f</td><td>%.0f %%</td></tr>%n",
                            run.title(),
                            seconds,
                            cost,
                            100 * cost / fixed));
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
                        "Machines at work (blue, left), large (red) and small (green, right) over"
                                + " minutes, on this machine",
                        runs.stream()
                                .map(run -> new MachinesChart.Panel(run.title(), run.moments()))
                                .toList(),
                        1);
        Files.write(out.resolve("nephele-local.csv"), csv);
        Files.writeString(out.resolve("nephele-local.svg"), chart);
        Files.writeString(out.resolve("nephele.html"), page(rows.toString(), chart));
    }

    private String page(String rows, String chart) throws IOException {
        Path simulated = out.resolve("nephele-simulated.svg");
        return """
        <!doctype html><meta charset="utf-8"><title>Chapter 3 of the Nephele thesis</title>
        <style>body{font:15px sans-serif;max-width:760px;margin:2em auto}td,th{padding:2px 12px 2px 0;text-align:left}</style>
        <h1>Machines leased by stage</h1>
        <h2>On this machine</h2>
        <p>%s numbers; worker processes with cores and memory of their own; priced for the time of the leases.</p>
        <table><tr><th>form<th>time<th>cost<th>of the fixed cluster</tr>%s</table>
        %s
        <h2>Simulated, at the thesis' size</h2>
        %s
        """
                .formatted(
                        String.format(Locale.ROOT, "%,d", numbers),
                        rows,
                        chart,
                        Files.exists(simulated)
                                ? Files.readString(simulated)
                                : "<p>Run it with --simulated too.</p>");
    }
}
