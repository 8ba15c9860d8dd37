package petrichor.cli.apps;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import petrichor.apps.scaling.SimulationReport;
import petrichor.apps.scaling.SimulationReport.Sample;
import petrichor.charts.Svg;
import petrichor.charts.TimePanel;

/** Instances and requests over time, one above the other. */
final class SimulationChart {
    private static final int WIDTH = 900;
    private static final int FONT = 12;
    private static final int LEFT = 60;
    private static final int TOP = 56;
    private static final int HEIGHT = 190;
    private static final int GAP = 60;
    private static final int LABEL = 6;
    private static final double MILLIS_PER_SECOND = 1000;
    private static final String WANTED = "#c8553d";
    private static final String READY = "#3b6ea8";
    private static final String IN_PROGRESS = "#4a9d6a";
    private static final String PENDING = "#b08a2e";

    private SimulationChart() {}

    private record Line(String name, String colour, ToDoubleFunction<Sample> value) {}

    static String svg(SimulationReport report) {
        Svg svg = new Svg(WIDTH, FONT).title(LEFT, "Simulated scaling");
        panel(
                svg,
                TOP,
                report,
                List.of(
                        new Line("wanted instances", WANTED, s -> s.decision().instances()),
                        new Line("ready instances", READY, s -> s.instances().ready())));
        int second = TOP + HEIGHT + GAP;
        panel(
                svg,
                second,
                report,
                List.of(
                        new Line("requests in progress", IN_PROGRESS, Sample::inProgress),
                        new Line("requests that wait", PENDING, Sample::pending)));
        return svg.drawn(second + HEIGHT + GAP / 2);
    }

    private static void panel(Svg svg, int top, SimulationReport report, List<Line> lines) {
        List<Sample> samples = report.samples();
        double most = 1;
        for (Line line : lines) {
            most = Math.max(most, samples.stream().mapToDouble(line.value()).max().orElse(0));
        }
        double scale = most;
        double end = samples.isEmpty() ? 0 : samples.getLast().at().toMillis() / MILLIS_PER_SECOND;
        TimePanel<Sample> panel =
                new TimePanel<>(
                        svg,
                        LEFT,
                        top,
                        WIDTH - 2 * LEFT,
                        HEIGHT,
                        end,
                        samples,
                        sample -> sample.at().toMillis() / MILLIS_PER_SECOND);
        int x = LEFT;
        for (Line line : lines) {
            panel.steps(line.colour(), sample -> line.value().applyAsDouble(sample) / scale);
            svg.text(x, top - LABEL, line.colour(), line.name());
            x += WIDTH / 4;
        }
        svg.text(LEFT - LABEL, top + FONT, Svg.Anchor.END, number(scale))
                .text(LEFT - LABEL, panel.bottom(), Svg.Anchor.END, "0")
                .text(panel.right(), panel.bottom() + FONT + 4, Svg.Anchor.END, number(end) + " s");
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.0f", value);
    }
}
