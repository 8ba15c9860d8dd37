package petrichor.bench.tuning;

import java.util.List;
import java.util.Locale;
import petrichor.charts.Svg;
import petrichor.charts.Svg.Anchor;
import petrichor.charts.TimePanel;

/** Parallelism of the tasks over time, the throughput in pages, and the bottleneck. */
final class ElasticChart {
    private static final int WIDTH = 720;
    private static final int PANEL = 100;
    private static final int MARGIN = 50;
    private static final int TOP = 64;
    private static final int GAP = 56;
    private static final String RATE = "#999999";

    private ElasticChart() {}

    static String svg(List<ElasticRun> runs) {
        Svg svg =
                new Svg(WIDTH, 11)
                        .title(
                                MARGIN,
                                "Subtasks (steps, left), pages per second (grey, right) and the"
                                        + " bottleneck (bar) over seconds");
        PipelineColours.legend(
                svg, MARGIN, DocumentPipeline.OCR, DocumentPipeline.PDF, DocumentPipeline.READER);
        int top = TOP;
        for (ElasticRun run : runs) {
            panel(svg, run, top);
            top += PANEL + GAP;
        }
        return svg.drawn(top);
    }

    private static void panel(Svg svg, ElasticRun run, int top) {
        int most = Math.max(run.most(DocumentPipeline.OCR), run.most(DocumentPipeline.PDF));
        double fastest =
                run.moments().stream().mapToDouble(ElasticRun.Moment::rate).max().orElse(1);
        TimePanel<ElasticRun.Moment> panel =
                new TimePanel<>(
                        svg,
                        MARGIN,
                        top,
                        WIDTH - 2 * MARGIN,
                        PANEL,
                        run.seconds(),
                        run.moments(),
                        ElasticRun.Moment::second);
        int right = panel.right();
        svg.text(MARGIN, top - 4, title(run))
                .text(MARGIN - 6, top + 9, Anchor.END, String.valueOf(most))
                .text(MARGIN - 6, panel.bottom(), Anchor.END, "0")
                .text(right + 4, top + 9, "#777", String.format(Locale.ROOT, "%.0f/s", fastest))
                .text(
                        right,
                        panel.bottom() + 28,
                        Anchor.END,
                        String.format(Locale.ROOT, "%.1f s", run.seconds()));
        panel.line(RATE, moment -> moment.rate() / fastest);
        for (String task : List.of(DocumentPipeline.OCR, DocumentPipeline.PDF)) {
            panel.steps(
                    PipelineColours.of(task),
                    moment -> (double) moment.subtasks().getOrDefault(task, 1) / most);
        }
        panel.bar(moment -> PipelineColours.of(moment.bottlenecks()));
    }

    private static String title(ElasticRun run) {
        return String.format(
                Locale.ROOT,
                "%s: %,d pages in %.1f s",
                run.pipeline().title(),
                run.pipeline().pages(),
                run.seconds());
    }
}
