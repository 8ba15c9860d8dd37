package petrichor.bench.tuning;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** How many subtasks tasks had over time, how many pages went through, and what held the job up. */
final class ElasticChart {
    private static final int WIDTH = 720;
    private static final int PANEL = 100;
    private static final int BAR = 12;
    private static final int LEFT = 50;
    private static final int RIGHT = 50;
    private static final int TOP = 44;
    private static final int GAP = 56;
    private static final String OCR = "#c8553d";
    private static final String PDF = "#4a9d6a";
    private static final String RATE = "#999999";
    private static final String READER = "#2f6f9f";

    private ElasticChart() {}

    static String svg(List<ElasticRun> runs) {
        StringBuilder svg = new StringBuilder();
        add(
                svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"sans-serif\" font-size=\"11\">",
                WIDTH,
                TOP + runs.size() * (PANEL + GAP));
        add(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
        add(
                svg,
                "<text x=\"%d\" y=\"16\" font-size=\"13\">Subtasks (steps, left), pages a second"
                        + " (grey, right) and what holds the job up (bar) over seconds</text>",
                LEFT);
        legend(svg, 0, DocumentPipeline.OCR, OCR);
        legend(svg, 1, DocumentPipeline.PDF, PDF);
        legend(svg, 2, DocumentPipeline.READER, READER);
        int top = TOP + 20;
        for (ElasticRun run : runs) {
            panel(svg, run, top);
            top += PANEL + GAP;
        }
        return svg.append("</svg>\n").toString();
    }

    private static void legend(StringBuilder svg, int place, String name, String colour) {
        int x = LEFT + 120 * place;
        add(
                svg,
                "<rect x=\"%d\" y=\"24\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%d\""
                        + " y=\"33\">%s</text>",
                x,
                colour,
                x + 14,
                name);
    }

    private static void panel(StringBuilder svg, ElasticRun run, int top) {
        int most = Math.max(run.most(DocumentPipeline.OCR), run.most(DocumentPipeline.PDF));
        double fastest =
                run.moments().stream().mapToDouble(ElasticRun.Moment::rate).max().orElse(1);
        add(
                svg,
                "<text x=\"%d\" y=\"%d\">%s: %,d pages in %.1f s</text>",
                LEFT,
                top - 4,
                run.pipeline().title(),
                run.pipeline().pages(),
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
                "<text x=\"24\" y=\"%d\">%d</text><text x=\"30\" y=\"%d\">0</text><text x=\"%d\""
                        + " y=\"%d\" fill=\"#777\">%.0f/s</text>",
                top + 9,
                most,
                top + PANEL,
                WIDTH - RIGHT + 4,
                top + 9,
                fastest);
        line(svg, run, top, RATE, moment -> moment.rate() / fastest, false);
        line(svg, run, top, OCR, moment -> part(moment, DocumentPipeline.OCR, most), true);
        line(svg, run, top, PDF, moment -> part(moment, DocumentPipeline.PDF, most), true);
        double before = 0;
        for (ElasticRun.Moment moment : run.moments()) {
            int names = moment.bottlenecks().size();
            for (int i = 0; i < names; i++) {
                add(
                        svg,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
                        x(run, before),
                        top + PANEL + 3 + (double) i * BAR / names,
                        x(run, moment.second()) - x(run, before),
                        (double) BAR / names,
                        colour(moment.bottlenecks().get(i)));
            }
            before = moment.second();
        }
        add(
                svg,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.1f s</text>",
                WIDTH - RIGHT,
                top + PANEL + BAR + 16,
                run.seconds());
    }

    private static double part(ElasticRun.Moment moment, String task, int most) {
        return (double) moment.subtasks().getOrDefault(task, 1) / most;
    }

    private static String colour(String task) {
        return switch (task) {
            case DocumentPipeline.OCR -> OCR;
            case DocumentPipeline.PDF -> PDF;
            case DocumentPipeline.READER -> READER;
            case String _ -> "#777";
        };
    }

    private static void line(
            StringBuilder svg,
            ElasticRun run,
            int top,
            String colour,
            ToDoubleFunction<ElasticRun.Moment> height,
            boolean steps) {
        StringBuilder points = new StringBuilder();
        double before = 0;
        for (ElasticRun.Moment moment : run.moments()) {
            double y = top + PANEL * (1 - height.applyAsDouble(moment));
            if (steps) {
                point(points, x(run, before), y);
            }
            point(points, x(run, moment.second()), y);
            before = moment.second();
        }
        add(
                svg,
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>",
                points.toString().strip(),
                colour);
    }

    private static void point(StringBuilder points, double x, double y) {
        points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
    }

    private static double x(ElasticRun run, double second) {
        return LEFT + Math.min(1, second / run.seconds()) * (WIDTH - LEFT - RIGHT);
    }

    @SuppressWarnings("AnnotateFormatMethod")
    private static void add(StringBuilder svg, String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
