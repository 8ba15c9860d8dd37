package petrichor.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import petrichor.charts.Svg;

/** A line chart with two logarithmic axes. */
public final class LogChart {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 460;
    private static final int LEFT = 80;
    private static final int RIGHT = 20;
    private static final int TOP = 50;
    private static final int BOTTOM = 50;
    private static final String GRID = "#ddd";
    private static final String[] COLOURS = {
        "#3b6ea8", "#c8553d", "#4a9d6a", "#8a63a8", "#b08a2e", "#4f4f4f"
    };

    private record Point(double x, double y) {}

    private final String title;
    private final String xName;
    private final String yName;
    private final Map<String, List<Point>> lines = new LinkedHashMap<>();

    public LogChart(String title, String xName, String yName) {
        this.title = title;
        this.xName = xName;
        this.yName = yName;
    }

    /** Adds a point to the line of this name. Both coordinates must be positive. */
    public void point(String line, double x, double y) {
        if (x <= 0 || y <= 0) {
            throw new IllegalArgumentException("no place on a logarithmic axis: " + x + ", " + y);
        }
        lines.computeIfAbsent(line, _ -> new ArrayList<>()).add(new Point(x, y));
    }

    public String svg() {
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
        Svg svg = new Svg(WIDTH, 12).title(8, title);
        for (int power = xFrom; power <= xTo; power++) {
            double x = across(power, xFrom, xTo);
            svg.line(x, TOP, x, HEIGHT - BOTTOM, GRID, 1)
                    .text(x, HEIGHT - BOTTOM + 16, Svg.Anchor.MIDDLE, tick(power));
        }
        for (int power = yFrom; power <= yTo; power++) {
            double y = down(power, yFrom, yTo);
            svg.line(LEFT, y, WIDTH - RIGHT, y, GRID, 1)
                    .text(LEFT - 6, y + 4, Svg.Anchor.END, tick(power));
        }
        svg.text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, Svg.Anchor.MIDDLE, xName)
                .text(8, TOP - 10, yName);
        int number = 0;
        for (Map.Entry<String, List<Point>> line : lines.entrySet()) {
            String colour = COLOURS[number % COLOURS.length];
            Svg.Path path = new Svg.Path();
            for (Point point : line.getValue()) {
                double x = across(Math.log10(point.x), xFrom, xTo);
                double y = down(Math.log10(point.y), yFrom, yTo);
                path.to(x, y);
                svg.dot(x, y, colour);
            }
            svg.path(path, colour, 2)
                    .text(LEFT + 10, TOP + 16 + 16 * number, colour, line.getKey());
            number++;
        }
        return svg.drawn(HEIGHT);
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
