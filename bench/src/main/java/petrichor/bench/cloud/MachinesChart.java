package petrichor.bench.cloud;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import petrichor.charts.Svg;
import petrichor.charts.Svg.Anchor;
import petrichor.charts.TimePanel;

/** Utilisation and machines over time, a panel for each form of the job. */
final class MachinesChart {
    private static final int WIDTH = 720;
    private static final int PANEL = 150;
    private static final int MARGIN = 50;
    private static final int TOP = 34;
    private static final int GAP = 34;
    private static final int MACHINES_MAX = 8;

    private MachinesChart() {}

    /**
     * One form of the job.
     *
     * @param moments in order of time
     */
    record Panel(String title, List<SortAggregateRun.Moment> moments) {
        double minutes() {
            return moments.isEmpty() ? 0 : moments.getLast().minute();
        }

        /** Every {@code step}-th moment. */
        Panel every(int step) {
            return new Panel(
                    title,
                    IntStream.range(0, moments.size())
                            .filter(i -> i % step == 0)
                            .mapToObj(moments::get)
                            .toList());
        }
    }

    /**
     * @param what the subject of the chart
     * @param step draws every {@code step}-th moment
     */
    static String svg(String what, List<Panel> runs, int step) {
        double minutes = runs.stream().mapToDouble(Panel::minutes).max().orElse(1);
        Svg svg = new Svg(WIDTH, 11).title(MARGIN, what);
        for (int i = 0; i < runs.size(); i++) {
            panel(svg, runs.get(i).every(step), TOP + i * (PANEL + GAP), minutes);
        }
        return svg.drawn(TOP + runs.size() * (PANEL + GAP));
    }

    private static void panel(Svg svg, Panel run, int top, double minutes) {
        TimePanel<SortAggregateRun.Moment> panel =
                new TimePanel<>(
                        svg,
                        MARGIN,
                        top,
                        WIDTH - 2 * MARGIN,
                        PANEL,
                        minutes,
                        run.moments(),
                        SortAggregateRun.Moment::minute);
        int bottom = panel.bottom();
        int right = panel.right();
        svg.text(MARGIN + 6, top + 14, run.title())
                .text(MARGIN - 6, top + 8, Anchor.END, "100 %")
                .text(MARGIN - 6, bottom, Anchor.END, "0")
                .text(right + 8, top + 8, String.valueOf(MACHINES_MAX))
                .text(right + 8, bottom, "0")
                .text(MARGIN, bottom + 13, "0")
                .text(
                        right,
                        bottom + 13,
                        Anchor.END,
                        String.format(Locale.ROOT, "%.1f min", minutes));
        panel.line("#2f6f9f", SortAggregateRun.Moment::utilisation);
        panel.line("#c8553d", moment -> (double) moment.large() / MACHINES_MAX);
        panel.line("#4a9d6a", moment -> (double) moment.small() / MACHINES_MAX);
    }
}
