package petrichor.bench.tuning;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import petrichor.charts.Svg;
import petrichor.charts.Svg.Anchor;
import petrichor.charts.TimePanel;

/** Utilisation of the tasks over time, and below it the detected bottleneck: figure 4.3. */
final class BottleneckChart {
    private static final int WIDTH = 720;
    private static final int PANEL = 90;
    private static final int LEFT = 50;
    private static final int RIGHT = 20;
    private static final int TOP = 64;
    private static final int GAP = 56;

    private static final String[] TASKS = {
        DocumentPipeline.READER, DocumentPipeline.OCR, DocumentPipeline.PDF, DocumentPipeline.INDEX
    };

    private BottleneckChart() {}

    static String svg(Map<String, List<PipelineRun>> pipelines) {
        Svg svg =
                new Svg(WIDTH, 11)
                        .title(
                                LEFT,
                                "Utilization of tasks (lines) and the bottleneck (bar) over"
                                        + " seconds");
        PipelineColours.legend(svg, LEFT, TASKS);
        int top = TOP;
        for (Map.Entry<String, List<PipelineRun>> each : pipelines.entrySet()) {
            for (int i = 0; i < each.getValue().size(); i++) {
                PipelineRun run = each.getValue().get(i);
                String title =
                        String.format(
                                Locale.ROOT,
                                "%s, run %d: %s, %.1f s",
                                each.getKey(),
                                i + 1,
                                run.plan(),
                                run.seconds());
                panel(svg, title, run, top);
                top += PANEL + GAP;
            }
        }
        return svg.drawn(top);
    }

    private static void panel(Svg svg, String title, PipelineRun run, int top) {
        TimePanel<PipelineRun.Moment> panel =
                new TimePanel<>(
                        svg,
                        LEFT,
                        top,
                        WIDTH - LEFT - RIGHT,
                        PANEL,
                        run.seconds(),
                        run.moments(),
                        PipelineRun.Moment::second);
        svg.text(LEFT, top - 4, title)
                .text(LEFT - 6, top + 9, Anchor.END, "100 %")
                .text(LEFT - 6, panel.bottom(), Anchor.END, "0");
        for (String task : TASKS) {
            panel.line(PipelineColours.of(task), moment -> moment.busy().getOrDefault(task, 0.0));
        }
        panel.bar(moment -> PipelineColours.of(moment.bottlenecks()));
    }
}
