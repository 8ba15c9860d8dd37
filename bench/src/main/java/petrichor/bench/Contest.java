package petrichor.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Contenders with the same task, run interleaved: A B C, A B C, … so that drifts of the machine's
 * speed affect all of them. The first rounds warm up and are not counted.
 *
 * @param name of the task, e.g. {@code lookup of 1 key, 32 clients}
 * @param ours the contender whose ratio to the others is reported
 * @param targets promised minimum of the ratio ours / other, by the other's name
 */
public record Contest(
        String name, String ours, List<Contender> contenders, Map<String, Double> targets) {
    /** Until the JIT compilers of both sides have settled. */
    private static final int WARM_UP_ROUNDS = 3;

    /** All samples of a contest, in order of measurement. */
    public record Outcome(Contest contest, Map<String, List<Sample>> samples) {
        /** The median of this metric over the rounds. */
        public double median(String contender, ToDoubleFunction<Sample> what) {
            List<Sample> rounds = samples.getOrDefault(contender, List.of());
            double[] sorted = rounds.stream().mapToDouble(what).sorted().toArray();
            int middle = sorted.length / 2;
            return sorted.length == 0
                    ? Double.NaN
                    : (sorted[middle] + sorted[(sorted.length - 1) / 2]) / 2;
        }

        /** The ratio of the median throughputs, ours to the other's. */
        public double ratio(String other) {
            return median(contest.ours, Sample::perSecond) / median(other, Sample::perSecond);
        }

        /** Null when nothing was promised against this contender. */
        public @Nullable Boolean met(String other) {
            Double target = contest.targets.get(other);
            return target == null ? null : ratio(other) >= target;
        }
    }

    /** Runs all rounds, interleaved; warm-up rounds are not counted for any contender. */
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
