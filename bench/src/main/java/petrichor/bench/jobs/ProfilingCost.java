package petrichor.bench.jobs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import petrichor.base.PetrichorException;

/**
 * The overhead of profiling a job: the ratio of processor seconds with profiling to those without,
 * pair by pair.
 */
record ProfilingCost(List<Double> ratios) {
    /** One percent. */
    static final double RATIO_MAX = 1.01;

    private static final Duration RUN_MAX = Duration.ofMinutes(15);

    static ProfilingCost measure(Path input, Path output, int pairs, Path log)
            throws IOException, InterruptedException {
        MeasuredProcess.run(ProfilingMain.command(input, output, pairs), Map.of(), log, RUN_MAX);
        List<Double> ratios = new ArrayList<>();
        for (String line : Files.readAllLines(log, StandardCharsets.ISO_8859_1)) {
            String[] seconds = line.split(" ", -1);
            if (line.matches("[0-9.]+ [0-9.]+")) {
                ratios.add(Double.parseDouble(seconds[0]) / Double.parseDouble(seconds[1]));
            }
        }
        if (ratios.size() != pairs) {
            throw PetrichorException.invalid("of " + pairs + " pairs " + ratios.size() + " ran");
        }
        return new ProfilingCost(ratios.stream().sorted().toList());
    }

    double median() {
        int middle = ratios.size() / 2;
        return ratios.size() % 2 == 1
                ? ratios.get(middle)
                : (ratios.get(middle - 1) + ratios.get(middle)) / 2;
    }

    /** Half the width of a 95 % confidence interval of the median, as a number of ranks. */
    private int doubt() {
        return (int) Math.ceil(Math.sqrt(ratios.size()));
    }

    boolean met() {
        return median() <= RATIO_MAX;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "processor seconds with profile by those without, median of %d pairs: %.4f"
                        + " (19 of 20 times it is between %.4f and %.4f; target %.2f: %s)",
                ratios.size(),
                median(),
                ratios.get(Math.max(0, ratios.size() / 2 - doubt())),
                ratios.get(Math.min(ratios.size() - 1, ratios.size() / 2 + doubt())),
                RATIO_MAX,
                met() ? "met" : "MISSED");
    }
}
