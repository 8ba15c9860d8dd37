package petrichor.bench.tuning;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How busy the tasks were over time, and under it what was called the bottleneck: figure 4.3. */
final class BottleneckChart {
    private static final int WIDTH = 720;
    private static final int PANEL = 90;
    private static final int BAR = 12;
    private static final int LEFT = 50;
    private static final int RIGHT = 20;
    private static final int TOP = 44;
    private static final int GAP = 56;

    private static final Map<String, String> COLOURS = colours();

    private BottleneckChart() {}

    private static Map<String, String> colours() {
        Map<String, String> colours = new LinkedHashMap<>();
        colours.put(DocumentPipeline.READER, "#2f6f9f");
        colours.put(DocumentPipeline.OCR, "#c8553d");
        colours.put(DocumentPipeline.PDF, "#4a9d6a");
        colours.put(DocumentPipeline.INDEX, "#8a6fb0");
        return colours;
    }

    static String svg(Map<String, List<PipelineRun>> pipelines) {
        int panels = pipelines.values().stream().mapToInt(List::size).sum();
        StringBuilder svg = new StringBuilder();
        add(
                svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"sans-serif\" font-size=\"11\">",
                WIDTH,
                TOP + panels * (PANEL + GAP));
        add(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
        add(
                svg,
                "<text x=\"%d\" y=\"16\" font-size=\"13\">How busy tasks are (lines) and which one"
                        + " holds the job up (bar) over seconds</text>",
                LEFT);
        int x = LEFT;
        for (Map.Entry<String, String> each : COLOURS.entrySet()) {
            add(
                    svg,
                    "<rect x=\"%d\" y=\"24\" width=\"10\" height=\"10\" fill=\"%s\"/><text"
                            + " x=\"%d\" y=\"33\">%s</text>",
                    x,
                    each.getValue(),
                    x + 14,
                    each.getKey());
            x += 120;
        }
        int top = TOP + 20;
        for (Map.Entry<String, List<PipelineRun>> each : pipelines.entrySet()) {
            for (int run = 0; run < each.getValue().size(); run++) {
                panel(svg, each.getKey(), run + 1, each.getValue().get(run), top);
                top += PANEL + GAP;
            }
        }
        return svg.append("</svg>\n").toString();
    }

    private static void panel(
            StringBuilder svg, String title, int number, PipelineRun run, int top) {
        add(
                svg,
                "<text x=\"%d\" y=\"%d\">%s, run %d: %s, %.1f s</text>",
                LEFT,
                top - 4,
                title,
                number,
                run.plan(),
                run.seconds());
        add(
                svg,
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\""
                        + " stroke=\"#999\"/>",
                LEFT,
                top,
                WIDTH - LEFT - RIGHT,
                PANEL);
        add(
                svg,
                "<text x=\"12\" y=\"%d\">100 %%</text><text x=\"30\" y=\"%d\">0</text>",
                top + 9,
                top + PANEL);
        COLOURS.forEach((task, colour) -> line(svg, run, task, colour, top));
        double before = 0;
        for (PipelineRun.Moment moment : run.moments()) {
            for (int i = 0; i < moment.bottlenecks().size(); i++) {
                String colour = COLOURS.getOrDefault(moment.bottlenecks().get(i), "#777");
                add(
                        svg,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
                        x(run, before),
                        top + PANEL + 3 + (double) i * BAR / moment.bottlenecks().size(),
                        x(run, moment.second()) - x(run, before),
                        (double) BAR / moment.bottlenecks().size(),
                        colour);
            }
            before = moment.second();
        }
    }

    private static void line(
            StringBuilder svg, PipelineRun run, String task, String colour, int top) {
        StringBuilder points = new StringBuilder();
        for (PipelineRun.Moment moment : run.moments()) {
            points.append(
                    String.format(
                            Locale.ROOT,
                            "%.1f,%.1f ",
                            x(run, moment.second()),
                            top + PANEL * (1 - moment.busy().getOrDefault(task, 0.0))));
        }
        add(
                svg,
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>",
                points.toString().strip(),
                colour);
    }

    private static double x(PipelineRun run, double second) {
        return LEFT + Math.min(1, second / run.seconds()) * (WIDTH - LEFT - RIGHT);
    }

    @SuppressWarnings("AnnotateFormatMethod")
    private static void add(StringBuilder svg, String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
