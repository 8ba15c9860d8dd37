package petrichor.jobs.tuning;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import petrichor.base.PetrichorException;

/**
 * Runs of one job with different numbers of subtasks, and which are worth trying next. The caller
 * runs the job, adds the run with {@link #ran}, and continues while there is a {@link #next}. Tasks
 * are known from run to run by keys. Immutable.
 *
 * @param resources what the job may take
 * @param roundsMax runs at most, the first included
 * @param rounds the runs so far
 */
public record Tuning(Resources resources, int roundsMax, List<Round> rounds) {
    /** Runs of the same plan differ by some hundredths; a gain must be more than that. */
    private static final double GAIN_MIN = 0.05;

    /** Twice as many readers that read only so much more have found the end of what there is. */
    private static final double SOURCE_GAIN_MIN = 0.15;

    public Tuning {
        rounds = List.copyOf(rounds);
        if (roundsMax < 1) {
            throw PetrichorException.invalid("tuning needs at least one run");
        }
    }

    /**
     * One run.
     *
     * @param parallelism what was asked for, by key; nothing in the first run
     * @param seconds what it took
     * @param advice what is concluded from it
     */
    public record Round(Map<String, Integer> parallelism, double seconds, Advice advice) {
        public Round {
            parallelism = Map.copyOf(parallelism);
        }

        int subtasks() {
            return advice.tasks().stream().mapToInt(task -> task.task().parallelism()).sum();
        }

        private Map<String, Integer> had() {
            Map<String, Integer> all = new LinkedHashMap<>();
            advice.tasks()
                    .forEach(
                            task ->
                                    task.task()
                                            .keys()
                                            .forEach(
                                                    key ->
                                                            all.merge(
                                                                    key,
                                                                    task.task().parallelism(),
                                                                    Math::max)));
            return all;
        }
    }

    public static Tuning of(Resources resources, int roundsMax) {
        return new Tuning(resources, roundsMax, List.of());
    }

    /** With one more run. */
    public Tuning ran(Map<String, Integer> parallelism, double seconds, JobProfile profile) {
        Set<String> exhausted = exhausted(profile, seconds);
        List<Round> more = new ArrayList<>(rounds);
        more.add(new Round(parallelism, seconds, Advice.of(profile, resources, exhausted)));
        return new Tuning(resources, roundsMax, more);
    }

    /** What to ask for in the next run; empty if nothing is to be gained, or no run is left. */
    public Optional<Map<String, Integer>> next() {
        if (rounds.isEmpty()) {
            return Optional.of(Map.of());
        }
        Round latest = rounds.getLast();
        if (rounds.size() >= roundsMax || !improved()) {
            return Optional.empty();
        }
        Map<String, Integer> wanted = latest.advice().parallelism();
        boolean tried =
                rounds.stream()
                        .anyMatch(
                                round ->
                                        round.had().equals(wanted)
                                                || round.parallelism().equals(wanted));
        boolean worthIt =
                latest.advice().expectedSeconds() < (1 - GAIN_MIN) * latest.advice().seconds();
        return tried || !worthIt ? Optional.empty() : Optional.of(wanted);
    }

    /** Whether the latest run was faster than all before it. */
    private boolean improved() {
        Round latest = rounds.getLast();
        return rounds.subList(0, rounds.size() - 1).stream()
                .allMatch(round -> latest.seconds() < (1 - GAIN_MIN) * round.seconds());
    }

    /** The fastest run; of those that are about as fast the one with the fewest subtasks. */
    public Round best() {
        double fastest = rounds.stream().mapToDouble(Round::seconds).min().orElseThrow();
        return rounds.stream()
                .filter(round -> round.seconds() <= fastest * (1 + GAIN_MIN))
                .min(Comparator.comparingInt(Round::subtasks).thenComparingDouble(Round::seconds))
                .orElseThrow();
    }

    /** What the best run had, by key: to be asked for from now on. */
    public Map<String, Integer> parallelism() {
        return best().had();
    }

    /** Keys of sources that had more subtasks than before in a run that was no faster. */
    private Set<String> exhausted(JobProfile profile, double seconds) {
        Set<String> found = new HashSet<>();
        for (Round before : rounds) {
            Map<String, Integer> had = before.had();
            for (TaskProfile task : profile.tasks()) {
                boolean more =
                        task.keys().stream()
                                .anyMatch(
                                        key ->
                                                task.parallelism()
                                                        > had.getOrDefault(key, Integer.MAX_VALUE));
                if (task.source() && more && seconds > (1 - SOURCE_GAIN_MIN) * before.seconds()) {
                    found.addAll(task.keys());
                }
            }
        }
        return found;
    }
}
