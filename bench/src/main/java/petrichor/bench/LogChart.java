package petrichor.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Lines in a drawing whose axes are both logarithmic. */
final class LogChart {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 460;
    private static final int LEFT = 80;
    private static final int RIGHT = 20;
    private static final int TOP = 50;
    private static final int BOTTOM = 50;
    private static final String[] COLOURS = {
        "#3b6ea8", "#c8553d", "#4a9d6a", "#8a63a8", "#b08a2e", "#4f4f4f"
    };

    private record Point(double x, double y) {}

    private final String title;
    private final String xName;
    private final String yName;
    private final Map<String, List<Point>> lines = new LinkedHashMap<>();

    LogChart(String title, String xName, String yName) {
        this.title = title;
        this.xName = xName;
        this.yName = yName;
    }

    /** Adds to the line of this name. Both must be more than 0. */
    void point(String line, double x, double y) {
        if (x <= 0 || y <= 0) {
            throw new IllegalArgumentException("no place on a logarithmic axis: " + x + ", " + y);
        }
        lines.computeIfAbsent(line, _ -> new ArrayList<>()).add(new Point(x, y));
    }

    String svg() {
        int xFrom =
                lowest(
                        lines.values().stream()
                                .flatMap(List::stream)
                                .mapToDouble(Point::x)
                                .min()
                                .orElse(1));
        int xTo =
                highest(
                        lines.values().stream()
                                .flatMap(List::stream)
                                .mapToDouble(Point::x)
                                .max()
                                .orElse(10),
                        xFrom);
        int yFrom =
                lowest(
                        lines.values().stream()
                                .flatMap(List::stream)
                                .mapToDouble(Point::y)
                                .min()
                                .orElse(1));
        int yTo =
                highest(
                        lines.values().stream()
                                .flatMap(List::stream)
                                .mapToDouble(Point::y)
                                .max()
                                .orElse(10),
                        yFrom);
        StringBuilder svg = new StringBuilder();
        add(
                svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"sans-serif\" font-size=\"12\">",
                WIDTH,
                HEIGHT);
        add(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
        add(svg, "<text x=\"8\" y=\"18\" font-weight=\"bold\">%s</text>", title);
        for (int power = xFrom; power <= xTo; power++) {
            double x = across(power, xFrom, xTo);
            add(
                    svg,
                    "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#ddd\"/>",
                    x,
                    TOP,
                    x,
                    HEIGHT - BOTTOM);
            add(
                    svg,
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
                    x,
                    HEIGHT - BOTTOM + 16,
                    tick(power));
        }
        for (int power = yFrom; power <= yTo; power++) {
            double y = down(power, yFrom, yTo);
            add(
                    svg,
                    "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>",
                    LEFT,
                    y,
                    WIDTH - RIGHT,
                    y);
            add(
                    svg,
                    "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
                    LEFT - 6,
                    y + 4,
                    tick(power));
        }
        add(
                svg,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>",
                (LEFT + WIDTH - RIGHT) / 2,
                HEIGHT - 12,
                xName);
        add(svg, "<text x=\"8\" y=\"%d\">%s</text>", TOP - 10, yName);
        int number = 0;
        for (Map.Entry<String, List<Point>> line : lines.entrySet()) {
            String colour = COLOURS[number % COLOURS.length];
            StringBuilder path = new StringBuilder();
            for (Point point : line.getValue()) {
                double x = across(Math.log10(point.x), xFrom, xTo);
                double y = down(Math.log10(point.y), yFrom, yTo);
                path.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
                add(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>", x, y, colour);
            }
            add(
                    svg,
                    "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>",
                    path.toString().strip(),
                    colour);
            add(
                    svg,
                    "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>",
                    LEFT + 10,
                    TOP + 16 + 16 * number,
                    colour,
                    line.getKey());
            number++;
        }
        return svg.append("</svg>\n").toString();
    }

    @SuppressWarnings("AnnotateFormatMethod")
    private static void add(StringBuilder svg, String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private static int lowest(double value) {
        return (int) Math.floor(Math.log10(value));
    }

    private static int highest(double value, int lowest) {
        return Math.max(lowest + 1, (int) Math.ceil(Math.log10(value)));
    }

    private static double across(double power, int from, int to) {
        return LEFT + (power - from) / (to - from) * (WIDTH - LEFT - RIGHT);
    }

    private static double down(double power, int from, int to) {
        return HEIGHT - BOTTOM - (power - from) / (to - from) * (HEIGHT - TOP - BOTTOM);
    }

    private static String tick(int power) {
        return power < 0
                ? String.format(Locale.ROOT, "%." + -power + "f", Math.pow(10, power))
                : String.format(Locale.ROOT, "%,.0f", Math.pow(10, power));
    }
}
