package petrichor.bench.tuning;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.bench.ResultTable;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.tuning.Advice;
import petrichor.jobs.tuning.Resources;
import petrichor.jobs.tuning.TaskProfile;
import petrichor.jobs.tuning.Tuning;

/**
 * Chapter 4 of the Nephele thesis at a small scale: the document pipeline is tuned from one subtask
 * per task, the detected bottleneck is compared with the real one, and the last plan with the best
 * one of a grid. Writes the bottlenecks over time as CSV and SVG.
 */
public final class PipelineExperiment {
    private static final int ROUNDS_MAX = 5;

    /** Runs after the first one. */
    private static final int TUNING_RUNS_MAX = 2;

    /** How much slower than the best of the grid the last plan may be. */
    private static final double BEST_RATIO_MAX = 1.10;

    private static final int WARM_UP_PAGES = 200;

    private final EngineOptions options;
    private final Path out;
    private final List<String> csv = new ArrayList<>();
    private final List<List<String>> results = new ArrayList<>();
    private final Map<String, List<PipelineRun>> drawn = new LinkedHashMap<>();

    public PipelineExperiment(Path spill, Path out) {
        this.options = EngineOptions.ofThisProcess().withSpillFolder(spill);
        this.out = out;
    }

    /**
     * @param pages of the pipeline whose OCR is a service; the one that computes gets twice as many
     * @return whether all expectations were met
     */
    public boolean run(int pages) throws IOException {
        double rounds = Cost.roundsPerMilli();
        csv.add("pipeline,run,plan,second,bottlenecks,reader,ocr,pdf,index");
        PipelineRun.of(DocumentPipeline.ofProcessors(WARM_UP_PAGES, rounds), Map.of(), options);
        boolean met =
                tune(
                        DocumentPipeline.ofServices(pages, rounds),
                        new int[] {8, 12, 16, 19, 24, 32},
                        new int[] {3, 5, 8});
        met &=
                tune(
                        DocumentPipeline.ofProcessors(2 * pages, rounds),
                        new int[] {1, 2, 3, 4},
                        new int[] {1, 2});
        Files.createDirectories(out);
        Files.write(out.resolve("nephele-pipeline.csv"), csv);
        new ResultTable(
                        List.of("pipeline", "run", "plan", "took", "at least", "named", "true"),
                        results)
                .write(out.resolve("nephele-pipeline-results.csv"));
        Files.writeString(out.resolve("nephele-pipeline.svg"), BottleneckChart.svg(drawn));
        return met;
    }

    private boolean tune(DocumentPipeline pipeline, int[] ocrs, int[] pdfs) {
        System.out.printf(Locale.ROOT, "%n%s, %,d pages%n", pipeline.title(), pipeline.pages());
        Tuning tuning = Tuning.of(Resources.ofThisMachine(), ROUNDS_MAX);
        List<PipelineRun> runs = new ArrayList<>();
        Map<String, String> names = new HashMap<>();
        boolean met = true;
        for (Optional<Map<String, Integer>> next = tuning.next();
                next.isPresent();
                next = tuning.next()) {
            Map<String, Integer> byName = new LinkedHashMap<>();
            next.get().forEach((key, subtasks) -> put(byName, names.get(key), subtasks));
            PipelineRun run = PipelineRun.of(pipeline, byName, options);
            runs.add(run);
            run.profile().tasks().forEach(task -> know(task, names));
            tuning = tuning.ran(next.get(), run.seconds(), run.profile());
            met &= report(pipeline, runs.size(), run, tuning.rounds().getLast().advice());
            record(pipeline, runs.size(), run);
        }
        drawn.put(pipeline.title(), runs);
        PipelineRun best = runs.get(tuning.rounds().indexOf(tuning.best()));
        return compare(pipeline, runs, best, ocrs, pdfs) && met;
    }

    private static void put(Map<String, Integer> byName, @Nullable String name, int to) {
        if (name != null) {
            byName.put(name, to);
        }
    }

    private static void know(TaskProfile task, Map<String, String> names) {
        task.keys().forEach(key -> names.put(key, PipelineRun.shortName(task.name())));
    }

    /** Whether one of the real bottlenecks was detected. */
    private boolean report(DocumentPipeline pipeline, int number, PipelineRun run, Advice advice) {
        List<String> named = new ArrayList<>(PipelineRun.names(advice.findings(), run.profile()));
        if (advice.areCoresBusy()) {
            // Tasks that look busy are waiting for a processor.
            named.add(0, DocumentPipeline.PROCESSORS);
        }
        List<String> truth = pipeline.truth(run.parallelism());
        boolean right = !named.isEmpty() && truth.contains(named.getFirst());
        System.out.printf(
                Locale.ROOT,
                "run %d: %6.2f s (%.2f s at least) with %s; named: %s; true: %s%s%n",
                number,
                run.seconds(),
                pipeline.leastSeconds(run.parallelism()),
                run.plan(),
                String.join(", ", named),
                String.join(", ", truth),
                right ? "" : "; WRONG");
        result(
                pipeline.title(),
                "" + number,
                run.plan(),
                run.seconds(),
                pipeline.leastSeconds(run.parallelism()),
                String.join(" + ", named),
                String.join(" or ", truth));
        System.out.printf(
                Locale.ROOT, "       it should take %.2f s as advised%n", advice.expectedSeconds());
        return right;
    }

    private void result(
            String title,
            String run,
            String plan,
            double seconds,
            double least,
            String named,
            String truth) {
        results.add(
                List.of(
                        title,
                        run,
                        plan,
                        String.format(Locale.ROOT, "%.2f s", seconds),
                        String.format(Locale.ROOT, "%.2f s", least),
                        named,
                        truth));
    }

    private boolean compare(
            DocumentPipeline pipeline,
            List<PipelineRun> runs,
            PipelineRun best,
            int[] ocrs,
            int[] pdfs) {
        PipelineRun fastest = best;
        for (int ocr : ocrs) {
            for (int pdf : pdfs) {
                PipelineRun run =
                        PipelineRun.of(
                                pipeline,
                                Map.of(DocumentPipeline.OCR, ocr, DocumentPipeline.PDF, pdf),
                                options);
                fastest = run.seconds() < fastest.seconds() ? run : fastest;
            }
        }
        result(
                pipeline.title(),
                "best of a grid of " + ocrs.length * pdfs.length,
                fastest.plan(),
                fastest.seconds(),
                pipeline.leastSeconds(fastest.parallelism()),
                "",
                "");
        double ratio = best.seconds() / fastest.seconds();
        int tuningRuns = runs.size() - 1;
        boolean met = ratio <= BEST_RATIO_MAX && tuningRuns <= TUNING_RUNS_MAX;
        System.out.printf(
                Locale.ROOT,
                "tuned: %.2f s with %s, %d subtasks, after %d tuning runs; best of %d plans: %.2f s"
                        + " with %s, %d subtasks; ratio %.3f (at most %.2f and %d runs: %s)%n",
                best.seconds(),
                best.plan(),
                best.subtasks(),
                tuningRuns,
                ocrs.length * pdfs.length,
                fastest.seconds(),
                fastest.plan(),
                fastest.subtasks(),
                ratio,
                BEST_RATIO_MAX,
                TUNING_RUNS_MAX,
                met ? "met" : "MISSED");
        return met;
    }

    private void record(DocumentPipeline pipeline, int number, PipelineRun run) {
        for (PipelineRun.Moment moment : run.moments()) {
            csv.add(
                    String.format(
                            Locale.ROOT,
                            "%s,%d,%s,%.2f,%s,%.3f,%.3f,%.3f,%.3f",
                            pipeline.title(),
                            number,
                            run.plan().replace(", ", " + "),
                            moment.second(),
                            String.join(" + ", moment.bottlenecks()),
                            moment.busy().getOrDefault(DocumentPipeline.READER, 0.0),
                            moment.busy().getOrDefault(DocumentPipeline.OCR, 0.0),
                            moment.busy().getOrDefault(DocumentPipeline.PDF, 0.0),
                            moment.busy().getOrDefault(DocumentPipeline.INDEX, 0.0)));
        }
    }
}
