package petrichor.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import petrichor.charts.Svg;

/** The results: a table for the reader, CSV with every sample, and an SVG of the ratios. */
public final class Report {
    private static final int BAR_HEIGHT = 22;
    private static final int LABEL_WIDTH = 430;
    private static final int SCALE = 220;
    private static final double RATIO_SHOWN_MAX = 2.5;

    /** A figure outside any contest: a start-up time, a size. */
    public record Figure(String name, double value, String unit, String target, boolean met) {}

    private final List<Contest.Outcome> outcomes = new ArrayList<>();
    private final List<Figure> metrics = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    public void add(Contest.Outcome outcome) {
        outcomes.add(outcome);
    }

    public void add(Figure metric) {
        metrics.add(metric);
    }

    /** Adds a note for the reader, above all about measurements that were impossible and why. */
    public void note(String text) {
        notes.add(text);
    }

    public boolean allMet() {
        return metrics.stream().allMatch(Figure::met)
                && outcomes.stream()
                        .allMatch(
                                o ->
                                        o.contest().targets().keySet().stream()
                                                .allMatch(n -> Boolean.TRUE.equals(o.met(n))));
    }

    public void print(PrintStream out) {
        for (Contest.Outcome outcome : outcomes) {
            out.println(outcome.contest().name());
            for (Map.Entry<String, List<Sample>> entry : outcome.samples().entrySet()) {
                String name = entry.getKey();
                out.printf(
                        Locale.ROOT,
                        "  %-28s %12.1f /s%s%s%s%s%n",
                        name,
                        outcome.median(name, Sample::perSecond),
                        micros("p50", outcome.median(name, Sample::p50Micros)),
                        micros("p99", outcome.median(name, Sample::p99Micros)),
                        cpu(outcome.median(name, Sample::cpuMicros)),
                        verdict(outcome, name));
            }
        }
        for (Figure metric : metrics) {
            out.printf(
                    Locale.ROOT,
                    "%-60s %12.2f %-8s target %s: %s%n",
                    metric.name(),
                    metric.value(),
                    metric.unit(),
                    metric.target(),
                    metric.met() ? "met" : "MISSED");
        }
        notes.forEach(note -> out.println("note: " + note));
    }

    private static String micros(String name, double micros) {
        return Double.isNaN(micros)
                ? ""
                : String.format(Locale.ROOT, "   %s %9.1f us", name, micros);
    }

    private static String cpu(double micros) {
        return Double.isNaN(micros) ? "" : String.format(Locale.ROOT, "   cpu %7.1f us", micros);
    }

    private static String verdict(Contest.Outcome outcome, String name) {
        if (name.equals(outcome.contest().ours())) {
            return "";
        }
        String ratio = String.format(Locale.ROOT, "   ratio of ours: %.2f", outcome.ratio(name));
        Double target = outcome.contest().targets().get(name);
        if (target == null) {
            return ratio;
        }
        return ratio
                + String.format(
                        Locale.ROOT,
                        " (target %.2f: %s)",
                        target,
                        Boolean.TRUE.equals(outcome.met(name)) ? "met" : "MISSED");
    }

    /** Writes {@code <name>.csv} and {@code <name>.svg}. */
    public void write(Path folder, String name) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve(name + ".csv"), csv());
        Files.writeString(folder.resolve(name + ".svg"), svg());
    }

    private String csv() {
        StringBuilder csv =
                new StringBuilder("task,contender,round,per_second,p50_us,p99_us,cpu_us\n");
        for (Contest.Outcome outcome : outcomes) {
            outcome.samples()
                    .forEach(
                            (contender, rounds) -> {
                                for (int round = 0; round < rounds.size(); round++) {
                                    Sample sample = rounds.get(round);
                                    csv.append(
                                            String.format(
                                                    Locale.ROOT,
                                                    "\"%s\",\"%s\",%d,%.2f,%s,%s,%s%n",
                                                    outcome.contest().name(),
                                                    contender,
                                                    round + 1,
                                                    sample.perSecond(),
                                                    csvMicros(sample.p50Micros()),
                                                    csvMicros(sample.p99Micros()),
                                                    csvMicros(sample.cpuMicros())));
                                }
                            });
        }
        for (Figure metric : metrics) {
            csv.append(
                    String.format(
                            Locale.ROOT,
                            "\"%s\",\"%s\",1,%.3f,,,%n",
                            metric.name(),
                            metric.unit(),
                            metric.value()));
        }
        return csv.toString();
    }

    /** Empty if it was not measured. */
    private static String csvMicros(double micros) {
        return Double.isNaN(micros) ? "" : String.format(Locale.ROOT, "%.2f", micros);
    }

    private String svg() {
        int width = LABEL_WIDTH + (int) (SCALE * RATIO_SHOWN_MAX) + 80;
        Svg svg =
                new Svg(width, 12)
                        .title(
                                8,
                                "Throughput of Petrichor over the other's (medians; the line is 1,"
                                        + " ticks are targets)");
        int row = 0;
        for (Contest.Outcome outcome : outcomes) {
            for (String other : outcome.samples().keySet()) {
                if (!other.equals(outcome.contest().ours())) {
                    bar(svg, 32 + row++ * BAR_HEIGHT, outcome, other);
                }
            }
        }
        int height = 40 + row * BAR_HEIGHT;
        int one = LABEL_WIDTH + SCALE;
        return svg.line(one, 28, one, height - 6, "#333", 1).drawn(height);
    }

    private static void bar(Svg svg, int y, Contest.Outcome outcome, String other) {
        double ratio = outcome.ratio(other);
        int length = (int) (Math.min(ratio, RATIO_SHOWN_MAX) * SCALE);
        Boolean met = outcome.met(other);
        String colour = met == null ? "#8aa4c8" : met ? "#4a9d6a" : "#c8553d";
        svg.text(8, y + 12, outcome.contest().name() + " vs " + other)
                .box(LABEL_WIDTH, y, length, BAR_HEIGHT - 6, colour)
                .text(LABEL_WIDTH + length + 4, y + 12, String.format(Locale.ROOT, "%.2f", ratio));
        Double target = outcome.contest().targets().get(other);
        if (target != null && target <= RATIO_SHOWN_MAX) {
            int x = LABEL_WIDTH + (int) (target * SCALE);
            svg.line(x, y - 2, x, y + BAR_HEIGHT - 4, "black", 2);
        }
    }
}
