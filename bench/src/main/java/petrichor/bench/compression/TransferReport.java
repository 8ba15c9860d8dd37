package petrichor.bench.compression;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import petrichor.base.TextTable;
import petrichor.charts.Svg;

/**
 * The results: a table of megabytes per second, a CSV with every sample, and an SVG of how much
 * longer the adaptive contenders took than the best static level.
 */
final class TransferReport {
    /**
     * Target: at most this factor of the best static level's time, and of the time without
     * compression.
     */
    static final double TARGET = 1.05;

    private static final int ROW_HEIGHT = 36;
    private static final int LABEL_WIDTH = 200;
    private static final int SCALE = 260;
    private static final double SHOWN_MAX = 3;

    /** One content at one rate. */
    record Cell(String content, int megabits) {}

    private final List<TransferSample> samples = new ArrayList<>();

    void add(TransferSample sample) {
        samples.add(sample);
    }

    /** Reads the samples of an earlier run. */
    void readEarlier(Path file) throws IOException {
        if (Files.exists(file)) {
            Files.readAllLines(file).stream()
                    .skip(1)
                    .filter(line -> !line.isBlank())
                    .map(TransferSample::parse)
                    .forEach(samples::add);
        }
    }

    List<Cell> cells() {
        return samples.stream()
                .map(sample -> new Cell(sample.content(), sample.megabits()))
                .distinct()
                .sorted(
                        Comparator.comparing(Cell::content)
                                .thenComparing(Cell::megabits, Collections.reverseOrder()))
                .toList();
    }

    OptionalDouble median(Cell cell, Contender contender, ToDoubleFunction<TransferSample> of) {
        double[] sorted =
                samples.stream()
                        .filter(sample -> sample.content().equals(cell.content))
                        .filter(sample -> sample.megabits() == cell.megabits)
                        .filter(sample -> sample.contender() == contender)
                        .mapToDouble(of)
                        .sorted()
                        .toArray();
        if (sorted.length == 0) {
            return OptionalDouble.empty();
        }
        int middle = sorted.length / 2;
        return OptionalDouble.of(
                sorted.length % 2 == 1
                        ? sorted[middle]
                        : (sorted[middle - 1] + sorted[middle]) / 2);
    }

    private double rate(Cell cell, Contender contender) {
        return median(cell, contender, TransferSample::megabytesPerSecond).orElse(Double.NaN);
    }

    private double bestStatic(Cell cell) {
        return Contender.all().stream()
                .filter(Contender::isStatic)
                .mapToDouble(contender -> rate(cell, contender))
                .filter(rate -> !Double.isNaN(rate))
                .max()
                .orElse(Double.NaN);
    }

    /** The ratio of a contender's time to that of the best static level. */
    double overBest(Cell cell, Contender contender) {
        return bestStatic(cell) / rate(cell, contender);
    }

    double overNone(Cell cell, Contender contender) {
        return rate(cell, Contender.NONE) / rate(cell, contender);
    }

    boolean met(Cell cell) {
        return !(overBest(cell, Contender.PETRICHOR) > TARGET)
                && !(overNone(cell, Contender.PETRICHOR) > TARGET);
    }

    boolean allMet() {
        return cells().stream().allMatch(this::met);
    }

    void print(PrintStream out) {
        out.println("megabytes per second (medians), and time relative to the best static level");
        TextTable table = TextTable.metrics(out);
        for (Cell cell : cells()) {
            Map<String, String> row = new LinkedHashMap<>();
            row.put("content", cell.content);
            row.put("Mbit", Integer.toString(cell.megabits));
            for (Contender contender : Contender.all()) {
                row.put(
                        contender.displayName(),
                        String.format(Locale.ROOT, "%.2f", rate(cell, contender)));
            }
            row.put("time of thesis", times(overBest(cell, Contender.THESIS)));
            row.put("of petrichor", times(overBest(cell, Contender.PETRICHOR)));
            row.put("over none", times(overNone(cell, Contender.PETRICHOR)));
            row.put("target", met(cell) ? "met" : "MISSED");
            table.row(row);
        }
        table.end();
    }

    private static String times(double ratio) {
        return String.format(Locale.ROOT, "%.3f", ratio);
    }

    void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        List<String> lines = new ArrayList<>();
        lines.add(TransferSample.CSV_HEAD);
        samples.stream().map(TransferSample::csv).forEach(lines::add);
        Files.write(csv(folder), lines);
        Files.writeString(folder.resolve("compression.svg"), svg());
    }

    static Path csv(Path folder) {
        return folder.resolve("compression.csv");
    }

    private String svg() {
        Svg svg =
                new Svg(LABEL_WIDTH + (int) (SCALE * SHOWN_MAX) + 120, 12)
                        .title(
                                8,
                                "Completion time over that of the best static level (the line is 1;"
                                        + " shorter is better)");
        int y = 40;
        for (Cell cell : cells()) {
            svg.text(8, y + 18, cell.content + ", " + cell.megabits + " Mbit/s");
            bar(svg, y, overBest(cell, Contender.THESIS), "#c9b27c", "thesis");
            boolean met = met(cell);
            double ours = overBest(cell, Contender.PETRICHOR);
            bar(svg, y + ROW_HEIGHT / 2 - 3, ours, met ? "#4a9d6a" : "#c8553d", "petrichor");
            y += ROW_HEIGHT;
        }
        int one = LABEL_WIDTH + SCALE;
        return svg.line(one, 28, one, y, "#333", 1).drawn(y + 10);
    }

    private static void bar(Svg svg, int y, double ratio, String colour, String name) {
        if (Double.isNaN(ratio)) {
            return;
        }
        int length = (int) (Math.min(ratio, SHOWN_MAX) * SCALE);
        svg.box(LABEL_WIDTH, y, length, 13, colour)
                .text(
                        LABEL_WIDTH + length + 4,
                        y + 11,
                        String.format(Locale.ROOT, "%s %.2f", name, ratio));
    }
}
