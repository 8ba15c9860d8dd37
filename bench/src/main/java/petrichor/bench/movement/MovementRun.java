package petrichor.bench.movement;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import petrichor.bench.Contest;
import petrichor.bench.Progress;
import petrichor.bench.Report;
import petrichor.bench.Sample;

/**
 * What all parts of the benchmark share.
 *
 * @param clients that send requests at the same time
 * @param load share of the highest rate at which latencies are measured
 */
record MovementRun(
        int rounds,
        Duration length,
        int clients,
        double load,
        int entities,
        Report report,
        Progress progress) {
    static final Duration LONG = Duration.ofMinutes(10);

    /**
     * Adds a comparison whose rounds were run one after another.
     *
     * @param ours the first key of the samples
     * @param targets by the name of the other side
     */
    void add(
            String name,
            String ours,
            Map<String, List<Sample>> samples,
            Map<String, Double> targets) {
        report.add(
                new Contest.Outcome(
                        new Contest(name, ours, List.of(), targets), new LinkedHashMap<>(samples)));
    }

    void figure(String name, double value, String unit, String target, boolean met) {
        report.add(new Report.Figure(name, value, unit, target, met));
    }

    static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length == 0
                ? Double.NaN
                : (sorted[middle] + sorted[(sorted.length - 1) / 2]) / 2;
    }
}
