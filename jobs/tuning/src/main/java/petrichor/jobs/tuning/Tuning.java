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
 * The runs of one job at different parallelisms, and the search for the next one worth trying. The
 * caller runs the job, adds the run with {@link #ran}, and continues while there is a {@link
 * #next}. Tasks are identified across runs by keys. Immutable.
 *
 * @param resources limits of the job
 * @param roundsMax limit of the runs, including the first
 * @param rounds the runs so far
 */
public record Tuning(Resources resources, int roundsMax, List<Round> rounds) {
    /** Runs of the same plan differ by a few percent; a gain must exceed that. */
    private static final double GAIN_MIN = 0.05;

    /**
     * If doubling the readers gains less than this factor, the capacity of the input is reached.
     */
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
     * @param parallelism as requested, by key; empty in the first run
     * @param seconds its duration
     * @param advice derived from it
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

    /** Adds a run. */
    public Tuning ran(Map<String, Integer> parallelism, double seconds, JobProfile profile) {
        Set<String> exhausted = exhausted(profile, seconds);
        List<Round> more = new ArrayList<>(rounds);
        more.add(new Round(parallelism, seconds, Advice.of(profile, resources, exhausted)));
        return new Tuning(resources, roundsMax, more);
    }

    /**
     * The parallelism to request in the next run; empty if no gain is expected, or no run is left.
     */
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

    /** Whether the latest run was faster than all earlier ones. */
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

    /** The parallelism of the best run, by key, to request from now on. */
    public Map<String, Integer> parallelism() {
        return best().had();
    }

    /** Keys of sources that had more subtasks than before in a run that was not faster. */
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
