package petrichor.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Contenders on the same task, run in turn: A B C, A B C, … so that a machine whose speed drifts
 * does so for all of them. The first rounds warm up and are not counted.
 *
 * @param name of the task, e.g. {@code lookup of 1 key, 32 clients}
 * @param ours the contender whose ratio to the others is asked for
 * @param targets least ratio ours / other that is promised, by the other's name
 */
public record Contest(
        String name, String ours, List<Contender> contenders, Map<String, Double> targets) {
    /** Until the compilers of both sides have settled. */
    private static final int WARM_UP_ROUNDS = 3;

    /** All samples of a contest, in the order they were taken. */
    public record Outcome(Contest contest, Map<String, List<Sample>> samples) {
        /** Median over the rounds of whatever is asked for. */
        public double median(String contender, ToDoubleFunction<Sample> what) {
            List<Sample> rounds = samples.getOrDefault(contender, List.of());
            double[] sorted = rounds.stream().mapToDouble(what).sorted().toArray();
            int middle = sorted.length / 2;
            return sorted.length == 0
                    ? Double.NaN
                    : (sorted[middle] + sorted[(sorted.length - 1) / 2]) / 2;
        }

        /** Throughput of ours over the other's, medians. */
        public double ratio(String other) {
            return median(contest.ours, Sample::perSecond) / median(other, Sample::perSecond);
        }

        /** Null when nothing was promised against this contender. */
        public @Nullable Boolean met(String other) {
            Double target = contest.targets.get(other);
            return target == null ? null : ratio(other) >= target;
        }
    }

    /** Interleaved; the rounds of the warm-up are not counted, for nobody. */
    public Outcome run(int rounds, Duration length, Progress progress) throws Exception {
        Map<String, List<Sample>> samples = new LinkedHashMap<>();
        for (Contender contender : contenders) {
            samples.put(contender.name(), new ArrayList<>());
        }
        for (int round = 1 - WARM_UP_ROUNDS; round <= rounds; round++) {
            for (Contender contender : contenders) {
                progress.say(
                        round > 0
                                ? name
                                        + ", round "
                                        + round
                                        + " of "
                                        + rounds
                                        + ", "
                                        + contender.name()
                                : name + ", warming up, " + contender.name());
                Sample sample = contender.measure(length);
                if (round > 0) {
                    samples.computeIfAbsent(contender.name(), _ -> new ArrayList<>()).add(sample);
                }
            }
        }
        return new Outcome(this, samples);
    }
}
