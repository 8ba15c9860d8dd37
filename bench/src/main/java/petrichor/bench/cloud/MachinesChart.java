package petrichor.bench.cloud;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Utilisation and machines over time, a panel for each form of the job. */
final class MachinesChart {
    private static final int WIDTH = 720;
    private static final int PANEL = 150;
    private static final int LEFT = 50;
    private static final int RIGHT = 50;
    private static final int TOP = 34;
    private static final int GAP = 34;
    private static final int MACHINES_MAX = 8;

    private MachinesChart() {}

    /**
     * One form of the job.
     *
     * @param moments in the order of time
     */
    record Panel(String title, List<SortAggregateRun.Moment> moments) {
        double minutes() {
            return moments.isEmpty() ? 0 : moments.getLast().minute();
        }
    }

    /**
     * @param what is shown
     * @param step of so many moments one is drawn
     */
    static String svg(String what, List<Panel> runs, int step) {
        double minutes = runs.stream().mapToDouble(Panel::minutes).max().orElse(1);
        int height = TOP + runs.size() * (PANEL + GAP);
        StringBuilder svg = new StringBuilder();
        add(
                svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"sans-serif\" font-size=\"11\">",
                WIDTH,
                height);
        add(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
        add(svg, "<text x=\"%d\" y=\"16\" font-size=\"13\">%s</text>", LEFT, what);
        for (int i = 0; i < runs.size(); i++) {
            panel(svg, runs.get(i), TOP + i * (PANEL + GAP), minutes, step);
        }
        return svg.append("</svg>\n").toString();
    }

    private static void panel(StringBuilder svg, Panel run, int top, double minutes, int step) {
        int bottom = top + PANEL;
        add(
                svg,
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\""
                        + " stroke=\"#999\"/>",
                LEFT,
                top,
                WIDTH - LEFT - RIGHT,
                PANEL);
        add(svg, "<text x=\"%d\" y=\"%d\">%s</text>", LEFT + 6, top + 14, run.title());
        add(
                svg,
                "<text x=\"4\" y=\"%d\">100 %%</text><text x=\"18\" y=\"%d\">0</text>",
                top + 8,
                bottom);
        add(
                svg,
                "<text x=\"%d\" y=\"%d\">%d</text><text x=\"%d\" y=\"%d\">0</text>",
                WIDTH - RIGHT + 8,
                top + 8,
                MACHINES_MAX,
                WIDTH - RIGHT + 8,
                bottom);
        add(svg, "<text x=\"%d\" y=\"%d\">0</text>", LEFT, bottom + 13);
        add(
                svg,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.1f min</text>",
                WIDTH - RIGHT,
                bottom + 13,
                minutes);
        line(svg, run, "#2f6f9f", top, minutes, step, SortAggregateRun.Moment::utilisation);
        line(svg, run, "#c8553d", top, minutes, step, m -> (double) m.large() / MACHINES_MAX);
        line(svg, run, "#4a9d6a", top, minutes, step, m -> (double) m.small() / MACHINES_MAX);
    }

    private static void line(
            StringBuilder svg,
            Panel run,
            String colour,
            int top,
            double minutes,
            int step,
            ToDoubleFunction<SortAggregateRun.Moment> height) {
        StringBuilder points = new StringBuilder();
        for (int i = 0; i < run.moments().size(); i += step) {
            SortAggregateRun.Moment moment = run.moments().get(i);
            double x = LEFT + moment.minute() / Math.max(minutes, 1e-3) * (WIDTH - LEFT - RIGHT);
            double y = top + PANEL * (1 - height.applyAsDouble(moment));
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
        }
        add(
                svg,
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>",
                points.toString().strip(),
                colour);
    }

    @SuppressWarnings("AnnotateFormatMethod")
    private static void add(StringBuilder svg, String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
