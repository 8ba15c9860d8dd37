package petrichor.bench.tuning;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import petrichor.bench.ResultTable;
import petrichor.jobs.engine.EngineOptions;

/**
 * The document pipeline, started with one subtask per task and scaled while it runs; and one whose
 * costs change during the run. Every page must arrive once, and a stateless bottleneck must be
 * resolved in time, or have as many subtasks as are useful.
 */
public final class ElasticExperiment {
    /** From the moment at which a task becomes the bottleneck. */
    private static final double RELIEF_SECONDS_MAX = 5;

    private static final int WARM_UP_PAGES = 200;

    private final EngineOptions options;
    private final Path out;
    private final List<String> csv = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    public ElasticExperiment(Path spill, Path out) {
        this.options = EngineOptions.ofThisProcess().withSpillFolder(spill);
        this.out = out;
    }

    /**
     * @param pages of each pipeline
     * @return whether all bottlenecks were resolved in time
     */
    public boolean run(int pages) throws IOException {
        double rounds = Cost.roundsPerMilli();
        csv.add("pipeline,second,ocr,pdf,ocr busy,pdf busy,pages per second,bottlenecks");
        PipelineRun.of(DocumentPipeline.ofProcessors(WARM_UP_PAGES, rounds), Map.of(), options);
        List<ElasticPipeline> pipelines =
                List.of(
                        ElasticPipeline.of(DocumentPipeline.ofServices(2 * pages, rounds)),
                        ElasticPipeline.of(DocumentPipeline.ofProcessors(pages, rounds)),
                        ElasticPipeline.changing(
                                "an OCR service that is slow for a third of the pages",
                                4 * pages,
                                2.5,
                                List.of(Cost.waiting(1), Cost.waiting(40), Cost.waiting(1)),
                                Cost.waiting(1)));
        List<ElasticRun> runs = new ArrayList<>();
        boolean met = true;
        for (ElasticPipeline pipeline : pipelines) {
            ElasticRun run = ElasticRun.of(pipeline, options);
            runs.add(run);
            met &= report(run);
            run.moments().forEach(moment -> csv.add(line(run, moment)));
        }
        Files.createDirectories(out);
        Files.write(out.resolve("nephele-elastic.csv"), csv);
        Files.writeString(out.resolve("nephele-elastic.svg"), ElasticChart.svg(runs));
        new ResultTable(
                        List.of(
                                "pipeline",
                                "pages",
                                "took",
                                "bottleneck",
                                "from",
                                "time to resolve"),
                        rows)
                .write(out.resolve("nephele-elastic-results.csv"));
        return met;
    }

    private boolean report(ElasticRun run) {
        System.out.printf(
                Locale.ROOT,
                "%n%s, %,d pages: %.2f s, every page once%n",
                run.pipeline().title(),
                run.pipeline().pages(),
                run.seconds());
        for (ElasticRun.Change change : run.scalings()) {
            System.out.println("  " + change.task() + " " + change.scaling().text());
        }
        boolean met = true;
        for (ElasticRun.Relief relief : run.reliefs()) {
            boolean inTime = relief.seconds() <= RELIEF_SECONDS_MAX;
            System.out.printf(
                    Locale.ROOT,
                    "  bottleneck %s from %.1f s, resolved after %.1f s (at most %.0f: %s)%n",
                    relief.task(),
                    relief.from(),
                    relief.seconds(),
                    RELIEF_SECONDS_MAX,
                    inTime ? "met" : "MISSED");
            rows.add(
                    List.of(
                            run.pipeline().title(),
                            Integer.toString(run.pipeline().pages()),
                            seconds(run.seconds()),
                            relief.task(),
                            seconds(relief.from()),
                            seconds(relief.seconds())));
            met &= inTime;
        }
        return met;
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%.2f s", seconds);
    }

    private static String line(ElasticRun run, ElasticRun.Moment moment) {
        return String.format(
                Locale.ROOT,
                "%s,%.2f,%d,%d,%.3f,%.3f,%.1f,%s",
                run.pipeline().title(),
                moment.second(),
                moment.subtasks().getOrDefault(DocumentPipeline.OCR, 1),
                moment.subtasks().getOrDefault(DocumentPipeline.PDF, 1),
                moment.busy().getOrDefault(DocumentPipeline.OCR, 0.0),
                moment.busy().getOrDefault(DocumentPipeline.PDF, 0.0),
                moment.rate(),
                String.join(" + ", moment.bottlenecks()));
    }
}
