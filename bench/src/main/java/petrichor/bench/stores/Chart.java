package petrichor.bench.stores;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import petrichor.charts.Svg;

/**
 * A small self-contained line chart in SVG.
 *
 * @param across the axis of the dots' x
 * @param up the axis of the dots' y
 */
record Chart(String title, Axis across, Axis up, List<Line> lines) {
    static final int WIDTH = 400;
    static final int HEIGHT = 270;

    private static final int LEFT = 62;
    private static final int RIGHT = 12;
    private static final int TOP = 28;
    private static final int BOTTOM = 40;

    private static final List<String> COLOURS =
            List.of(
                    "#2f6f9f", "#c8553d", "#4a9d6a", "#8a5a9e", "#c79a2b", "#3d9c9c", "#6b6b6b",
                    "#a04a6a");

    /**
     * An axis.
     *
     * @param logarithmic else it is linear, from 0 to the greatest value
     */
    record Axis(String label, boolean logarithmic) {}

    record Dot(double x, double y) {}

    /** One line of the chart. */
    record Line(String name, String colour, boolean dashed, List<Dot> dots) {}

    /** The colour of a store, by its number, in all charts. */
    static String colour(int store) {
        return COLOURS.get(store % COLOURS.size());
    }

    /** The range of an axis, and the mapping of values to positions. */
    private record Scale(double least, double most, boolean logarithmic) {
        static Scale of(Axis axis, double least, double most) {
            if (axis.logarithmic()) {
                double from = Math.pow(10, Math.floor(Math.log10(Math.max(least, 1e-6))));
                double to = Math.pow(10, Math.ceil(Math.log10(Math.max(most, 1e-6))));
                return new Scale(from, to > from ? to : from * 10, true);
            }
            return new Scale(0, most > 0 ? most : 1, false);
        }

        /** 0 at the start of the axis, 1 at its end. */
        double place(double value) {
            double at =
                    logarithmic
                            ? Math.log10(Math.max(value, least) / least) / Math.log10(most / least)
                            : value / most;
            return Math.clamp(at, 0, 1);
        }

        List<Double> ticks() {
            List<Double> ticks = new ArrayList<>();
            if (logarithmic) {
                for (double tick = least; tick <= most * 1.001; tick *= 10) {
                    ticks.add(tick);
                }
            } else {
                for (int i = 0; i <= 4; i++) {
                    ticks.add(most * i / 4);
                }
            }
            return ticks;
        }
    }

    /** An {@code <svg>} element, nested in another one at this position, or alone. */
    String svg(int x, int y) {
        Scale horizontal = scale(across, true);
        Scale vertical = scale(up, false);
        StringBuilder svg = new StringBuilder();
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" x=\"%d\" y=\"%d\" width=\"%d\""
                                + " height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                                + " font-size=\"11\">%n",
                        x,
                        y,
                        WIDTH,
                        HEIGHT,
                        WIDTH,
                        HEIGHT));
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<rect width=\"%d\" height=\"%d\" fill=\"white\"/><text x=\"%d\" y=\"16\""
                                + " font-weight=\"bold\">%s</text>%n",
                        WIDTH,
                        HEIGHT,
                        LEFT,
                        Svg.escaped(title)));
        for (double tick : horizontal.ticks()) {
            double at = x(horizontal, tick);
            svg.append(grid(at, TOP, at, HEIGHT - BOTTOM));
            svg.append(label(at, HEIGHT - BOTTOM + 14, "middle", NumberFormat.brief(tick)));
        }
        for (double tick : vertical.ticks()) {
            double at = y(vertical, tick);
            svg.append(grid(LEFT, at, WIDTH - RIGHT, at));
            svg.append(label(LEFT - 5, at + 4, "end", NumberFormat.brief(tick)));
        }
        svg.append(label((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8, "middle", across.label()));
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<text transform=\"translate(12 %d) rotate(-90)\""
                                + " text-anchor=\"middle\">%s</text>%n",
                        HEIGHT / 2,
                        Svg.escaped(up.label())));
        for (Line line : lines) {
            draw(svg, line, horizontal, vertical);
        }
        return svg.append("</svg>\n").toString();
    }

    private void draw(StringBuilder svg, Line line, Scale horizontal, Scale vertical) {
        StringBuilder points = new StringBuilder();
        for (Dot dot : line.dots()) {
            points.append(
                    String.format(
                            Locale.ROOT,
                            "%.1f,%.1f ",
                            x(horizontal, dot.x()),
                            y(vertical, dot.y())));
        }
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"%s"
                                + " points=\"%s\"><title>%s</title></polyline>%n",
                        line.colour(),
                        line.dashed() ? " stroke-dasharray=\"5 3\"" : "",
                        points.toString().strip(),
                        Svg.escaped(line.name())));
    }

    private Scale scale(Axis axis, boolean horizontal) {
        double least = Double.MAX_VALUE;
        double most = 0;
        for (Line line : lines) {
            for (Dot dot : line.dots()) {
                double value = horizontal ? dot.x() : dot.y();
                least = value > 0 ? Math.min(least, value) : least;
                most = Math.max(most, value);
            }
        }
        return Scale.of(axis, Math.min(least, Math.max(most, 1e-6)), most);
    }

    private static double x(Scale scale, double value) {
        return LEFT + scale.place(value) * (WIDTH - LEFT - RIGHT);
    }

    private static double y(Scale scale, double value) {
        return HEIGHT - BOTTOM - scale.place(value) * (HEIGHT - TOP - BOTTOM);
    }

    private static String grid(double x1, double y1, double x2, double y2) {
        return String.format(
                Locale.ROOT,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
                x1,
                y1,
                x2,
                y2);
    }

    private static String label(double x, double y, String anchor, String text) {
        return String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
                x,
                y,
                anchor,
                Svg.escaped(text));
    }
}
