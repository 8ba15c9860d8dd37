package petrichor.bench.cloud;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import petrichor.base.PetrichorException;
import petrichor.base.TextTable;
import petrichor.bench.ResultTable;
import petrichor.bench.TemporaryFolder;
import petrichor.bench.tuning.ElasticExperiment;
import petrichor.bench.tuning.NetworkExperiment;
import petrichor.bench.tuning.PipelineExperiment;
import petrichor.cloud.Billing;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code petrichor bench nephele}. */
@Command(
        name = "nephele",
        description = {
            "Run the experiments of the Nephele thesis. Chapter 3: a job as MapReduce on a fixed"
                + " cluster, as MapReduce on machines leased by stage, and as a DAG on two instance"
                + " types. In the simulated cloud the durations of stages are from the thesis; on"
                + " this machine they are small real jobs on worker processes.",
            "Chapter 4: a document pipeline, tuned from one subtask per task."
        },
        mixinStandardHelpOptions = true)
public final class NepheleCommand implements Callable<Integer> {
    /** Promised maximum cost of the DAG, as a fraction of the fixed cluster's. */
    private static final double SHARE_MAX = 0.6;

    /** One of this many moments is drawn. */
    private static final int MOMENTS = 6;

    @Option(names = "--simulated", description = "Run chapter 3 in the simulated cloud.")
    boolean simulated;

    @Option(
            names = "--local",
            description = "Run chapter 3 on machines that are processes on this host.")
    boolean local;

    @Option(
            names = "--backend",
            defaultValue = "own",
            description = "Engine for --local: own or flink (${DEFAULT-VALUE}).")
    String backend = "own";

    @Option(
            names = "--numbers",
            defaultValue = "2000000",
            description = "Count of numbers to sort with --local (${DEFAULT-VALUE}).")
    int numbers = 2_000_000;

    @Option(
            names = "--pipeline",
            description =
                    "Run chapter 4 on this machine: the document pipeline, tuned from one subtask"
                            + " per task.")
    boolean pipeline;

    @Option(
            names = "--elastic",
            description =
                    "With --pipeline: scale the job while it runs, also with costs that change"
                            + " during the run.")
    boolean elastic;

    @Option(
            names = "--network",
            description =
                    "Run chapter 4's network bottleneck: pages between worker processes over links"
                            + " of known rates. Needs root and Linux.")
    boolean network;

    @Option(
            names = "--pages",
            defaultValue = "800",
            description = "Number of pages, with --pipeline and --network (${DEFAULT-VALUE}).")
    int pages = 800;

    @Option(
            names = "--scale",
            defaultValue = "1",
            description = "Data size, as a multiple of the thesis' 100 GB (${DEFAULT-VALUE}).")
    double scale = 1;

    @Option(
            names = "--seed",
            defaultValue = "1",
            description = "Seed of the machines' boot times (${DEFAULT-VALUE}).")
    long seed = 1;

    @Option(
            names = "--out",
            defaultValue = "docs/bench",
            description = "Folder for CSV and SVG (${DEFAULT-VALUE}).")
    Path out = Path.of("docs/bench");

    @Override
    public Integer call() throws IOException {
        if (!simulated && !local && !pipeline && !network) {
            throw PetrichorException.invalid(
                    "name the experiments: --simulated or --local for chapter 3, --pipeline or"
                            + " --network for chapter 4");
        }
        Files.createDirectories(out);
        boolean met = true;
        if (simulated) {
            met &= simulate();
        }
        if (local) {
            new LocalNephele(out, numbers, onFlink()).run();
        }
        if (pipeline) {
            try (TemporaryFolder spill = new TemporaryFolder()) {
                met &=
                        elastic
                                ? new ElasticExperiment(spill.path(), out).run(pages)
                                : new PipelineExperiment(spill.path(), out).run(pages);
            }
        }
        if (network) {
            met &= new NetworkExperiment(out, pages).run();
        }
        NephelePage.write(out);
        return met ? 0 : 1;
    }

    private boolean onFlink() {
        if (backend.equals("flink") || backend.equals("own")) {
            return backend.equals("flink");
        }
        throw PetrichorException.invalid("--backend is own or flink, not '" + backend + "'");
    }

    private boolean simulate() throws IOException {
        boolean met = true;
        List<String> csv = new ArrayList<>();
        csv.add("billing,form,minute,c1_xlarge,m1_small,utilisation");
        List<SortAggregateRun> drawn = List.of();
        List<List<String>> rows = new ArrayList<>();
        for (Billing billing : Billing.values()) {
            List<SortAggregateRun> runs = new ArrayList<>();
            for (SortAggregate form : SortAggregate.values()) {
                runs.add(SortAggregateRun.of(form, billing, scale, seed));
            }
            met &= report(billing, runs, rows);
            runs.forEach(run -> add(csv, billing, run));
            drawn = runs;
        }
        Files.write(out.resolve("nephele-simulated.csv"), csv);
        new ResultTable(
                        List.of(
                                "form",
                                "billed by",
                                "minutes",
                                "machines",
                                "cost",
                                "of the fixed cluster's",
                                "hours paid and not used"),
                        rows)
                .write(out.resolve("nephele-simulated-results.csv"));
        Files.writeString(out.resolve("nephele-simulated.svg"), chart(drawn));
        return met;
    }

    private static String chart(List<SortAggregateRun> runs) {
        return MachinesChart.svg(
                "Utilisation (blue, left), c1.xlarge (red) and m1.small (green, right) over"
                        + " minutes, simulated",
                runs.stream()
                        .map(run -> new MachinesChart.Panel(run.form().title(), run.moments()))
                        .toList(),
                MOMENTS);
    }

    private static boolean report(
            Billing billing, List<SortAggregateRun> runs, List<List<String>> rows) {
        double fixed = runs.getFirst().bill().total().dollars();
        String unit = billing == Billing.WHOLE_HOURS ? "the hour" : "the second";
        System.out.println("\nbilled by " + unit);
        TextTable table = TextTable.metrics(System.out);
        boolean met = true;
        for (SortAggregateRun run : runs) {
            double cost = run.bill().total().dollars();
            int unused = run.bill().unused().size();
            String minutes = String.format(Locale.ROOT, "%.1f", run.elapsed().toSeconds() / 60.0);
            String machines = Integer.toString(run.bill().lines().size());
            String share = String.format(Locale.ROOT, "%.0f %%", 100 * cost / fixed);
            table.row(
                    "form",
                    run.form().title(),
                    "minutes",
                    minutes,
                    "machines",
                    machines,
                    "cost",
                    run.bill().total().toString(),
                    "share",
                    share,
                    "unused hours",
                    Integer.toString(unused));
            rows.add(
                    List.of(
                            run.form().title(),
                            unit,
                            minutes,
                            machines,
                            run.bill().total().toString(),
                            share,
                            Integer.toString(unused)));
            met &= unused == 0;
        }
        table.end();
        met &= runs.getLast().bill().total().dollars() <= SHARE_MAX * fixed;
        System.out.print(runs.getLast().costs().text());
        return met;
    }

    private static void add(List<String> csv, Billing billing, SortAggregateRun run) {
        for (int i = 0; i < run.moments().size(); i += 6) {
            SortAggregateRun.Moment moment = run.moments().get(i);
            csv.add(
                    String.format(
                            Locale.ROOT,
                            "%s,%s,%.1f,%d,%d,%.2f",
                            billing,
                            run.form(),
                            moment.minute(),
                            moment.large(),
                            moment.small(),
                            moment.utilisation()));
        }
    }
}
