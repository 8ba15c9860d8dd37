package petrichor.bench.apps;

import java.util.List;
import java.util.Locale;
import petrichor.charts.Svg;
import petrichor.charts.TimePanel;

/** Loads side by side: points of latency, percentiles and throughput over time, as in the seed. */
record SeedDrawing(List<SeedResult> results) {
    private static final int COLUMNS = 3;
    private static final int WIDTH = 400;
    private static final int HEIGHT = 340;
    private static final int LEFT = 60;
    private static final int PANEL = 78;
    private static final int GAP = 20;
    private static final int TOP = 46;
    private static final double POINT = 1.6;
    private static final String BLUE = "#3b6ea8";
    private static final String RED = "#c8553d";
    private static final String GREEN = "#4a9d6a";
    private static final String GREY = "#666";

    String drawn() {
        int rows = (results.size() + COLUMNS - 1) / COLUMNS;
        Svg svg = new Svg(COLUMNS * WIDTH, 11);
        for (int i = 0; i < results.size(); i++) {
            draw(svg, results.get(i), i % COLUMNS * WIDTH, i / COLUMNS * HEIGHT);
        }
        return svg.drawn(Math.max(1, rows) * HEIGHT);
    }

    private static void draw(Svg svg, SeedResult result, int x, int y) {
        UserRamp ramp = result.ramp();
        double end = ramp.length().toNanos() / 1e9;
        List<UserRamp.Interval> intervals = ramp.intervals(SeedReport.INTERVALS);
        List<UserRamp.UserAnswer> points = SeedReport.sampled(ramp.answers());
        svg.text(
                x + LEFT,
                y + 16,
                "%s, %s, 1 to %,d users in %.0f s"
                        .formatted(result.load().displayName(), result.store(), ramp.users(), end));
        double slowest = points.stream().mapToDouble(UserRamp.UserAnswer::millis).max().orElse(1);
        TimePanel<UserRamp.UserAnswer> dots =
                new TimePanel<>(
                        svg,
                        x + LEFT,
                        y + TOP - 18,
                        WIDTH - LEFT - 12,
                        PANEL,
                        end,
                        points,
                        UserRamp.UserAnswer::second);
        for (UserRamp.UserAnswer each : points) {
            svg.box(
                    dots.left() + each.second() / end * dots.width(),
                    dots.bottom() - each.millis() / slowest * PANEL,
                    POINT,
                    POINT,
                    each.expected() ? BLUE : RED);
        }
        axis(svg, dots, slowest, "ms");
        double highest =
                intervals.stream()
                        .mapToDouble(each -> each.times().micros(0.9) / 1e3)
                        .max()
                        .orElse(1);
        TimePanel<UserRamp.Interval> percentiles = panel(svg, x, dots.bottom(), end, intervals);
        double percentile = Math.max(highest, 1e-3);
        percentiles.line(GREY, each -> Math.min(1, each.times().meanMicros() / 1e3 / percentile));
        percentiles.line(BLUE, each -> each.times().micros(0.8) / 1e3 / percentile);
        percentiles.line(RED, each -> each.times().micros(0.9) / 1e3 / percentile);
        axis(svg, percentiles, percentile, "ms: mean, p80, p90");
        double most = intervals.stream().mapToDouble(UserRamp.Interval::perSecond).max().orElse(1);
        TimePanel<UserRamp.Interval> rate = panel(svg, x, percentiles.bottom(), end, intervals);
        double perSecond = Math.max(most, 1e-3);
        rate.line(GREEN, each -> each.perSecond() / perSecond);
        axis(svg, rate, perSecond, "per second");
    }

    private static TimePanel<UserRamp.Interval> panel(
            Svg svg, int x, int above, double end, List<UserRamp.Interval> intervals) {
        return new TimePanel<>(
                svg,
                x + LEFT,
                above + GAP,
                WIDTH - LEFT - 12,
                PANEL,
                end,
                intervals,
                UserRamp.Interval::second);
    }

    private static void axis(Svg svg, TimePanel<?> panel, double most, String unit) {
        svg.text(panel.left() - 5, panel.top() + 9, Svg.Anchor.END, number(most));
        svg.text(panel.left() - 5, panel.bottom(), Svg.Anchor.END, "0");
        svg.text(panel.right(), panel.bottom() + 13, Svg.Anchor.END, unit);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value >= 10 ? "%,.0f" : "%.2f", value);
    }
}
