package petrichor.jobs.tuning;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Computes an {@link Advice}. A stage cannot be faster than the work of any of its tasks shared by
 * that task's subtasks, nor than all processor time shared by the cores. Sources determine the
 * rate: they keep their subtasks, unless one of them is the bottleneck; then it gets twice as many,
 * since the maximum rate of its input is unknown. Every other task gets as many subtasks as its
 * work needs at that rate, with some reserve. Belongs to one thread.
 */
final class Balance {
    /**
     * Target utilisation of a subtask at the sources' rate. Records arrive unevenly: without a
     * reserve a task falls behind and blocks its producers.
     */
    static final double UTILISATION_MAX = 0.85;

    /** Above this multiple of the mean, the busiest subtask indicates skew. */
    private static final double IMBALANCE_MAX = 1.5;

    /** Relative precision of the search for a rate. */
    private static final double PACE_PRECISION = 1e-3;

    private final JobProfile profile;
    private final Resources resources;
    private final Set<String> exhausted;
    private final List<Finding> findings;
    private final Map<Integer, Integer> parallelism = new HashMap<>();
    private final Map<Integer, String> reasons = new HashMap<>();

    Balance(JobProfile profile, Resources resources, Set<String> exhausted) {
        this.profile = profile;
        this.resources = resources;
        this.exhausted = exhausted;
        this.findings = BottleneckSearch.STANDARD.in(profile);
    }

    Advice advice() {
        Set<Integer> stages = new HashSet<>();
        profile.tasks().forEach(task -> stages.add(task.stage()));
        double now = 0;
        double then = 0;
        double computing = 0;
        for (int stage : stages) {
            List<TaskProfile> tasks =
                    profile.tasks().stream().filter(task -> task.stage() == stage).toList();
            double elapsed =
                    tasks.stream().mapToDouble(TaskProfile::elapsedSeconds).max().orElse(0);
            double bound = bound(tasks, false);
            computing += coresBound(tasks);
            balance(tasks);
            // Time not explained by any task's work remains: starting, ending, waiting for each
            // other.
            then += Math.max(0, elapsed - bound) + bound(tasks, true);
            now += elapsed;
        }
        return new Advice(
                now,
                then,
                now == 0 ? 0 : computing / now,
                findings,
                profile.tasks().stream().map(this::advised).toList());
    }

    private TaskAdvice advised(TaskProfile task) {
        return new TaskAdvice(
                task,
                finding(task),
                parallelism.getOrDefault(task.id(), task.parallelism()),
                reasons.getOrDefault(task.id(), "no measurements"),
                null,
                0);
    }

    private @Nullable Finding finding(TaskProfile task) {
        return findings.stream().filter(each -> each.task() == task.id()).findFirst().orElse(null);
    }

    /** A lower bound of a stage's duration. */
    private double bound(List<TaskProfile> tasks, boolean advised) {
        double bound = coresBound(tasks);
        for (TaskProfile task : tasks) {
            int subtasks =
                    advised
                            ? parallelism.getOrDefault(task.id(), task.parallelism())
                            : task.parallelism();
            bound = Math.max(bound, alone(task, subtasks));
        }
        return bound;
    }

    private double coresBound(List<TaskProfile> tasks) {
        return tasks.stream().mapToDouble(TaskProfile::cpuSeconds).sum() / resources.cores();
    }

    /** Duration of a task's work at this parallelism, with the same skew. */
    private static double alone(TaskProfile task, int subtasks) {
        return task.workSeconds() / subtasks * Math.min(task.imbalance(), subtasks);
    }

    private void balance(List<TaskProfile> tasks) {
        double cores = coresBound(tasks);
        double pace = cores;
        String pacer = "the processors allow";
        for (TaskProfile task : tasks) {
            if (!keeps(task)) {
                continue;
            }
            int subtasks = task.parallelism();
            if (task.source() && mayGrow(task) && holdsUp(task)) {
                int allowed = resources.subtasksMax() - least(tasks);
                allowed = Math.min(allowed, resources.subtasksPerTaskMax() - subtasks);
                subtasks += Math.clamp(allowed, 0, subtasks);
            }
            parallelism.put(task.id(), subtasks);
            double alone = alone(task, subtasks);
            if (alone > pace) {
                pace = alone;
                pacer = "\"" + task.name() + "\" delivers";
            }
        }
        pace = affordable(tasks, pace);
        for (TaskProfile task : tasks) {
            if (!keeps(task)) {
                parallelism.put(task.id(), needed(task, pace));
            }
            reasons.put(task.id(), reason(task, pace, pacer, cores));
        }
    }

    /** A lower bound of the total parallelism. */
    private int least(List<TaskProfile> tasks) {
        int sum = 0;
        for (TaskProfile task : tasks) {
            int kept = parallelism.getOrDefault(task.id(), task.parallelism());
            sum += keeps(task) ? kept : 1;
        }
        return sum;
    }

    /** Whether a task's parallelism is independent of the rate; then the task may limit it. */
    private boolean keeps(TaskProfile task) {
        boolean uneven = task.parallelism() > 1 && finding(task) instanceof Finding.Skew;
        return task.source() || !mayGrow(task) || (uneven && task.imbalance() > IMBALANCE_MAX);
    }

    private boolean mayGrow(TaskProfile task) {
        return task.growable() && task.keys().stream().noneMatch(exhausted::contains);
    }

    private boolean holdsUp(TaskProfile task) {
        return finding(task) instanceof Finding.Cpu;
    }

    private int needed(TaskProfile task, double pace) {
        double wanted =
                pace <= 0
                        ? resources.subtasksPerTaskMax()
                        : Math.ceil(task.workSeconds() / (UTILISATION_MAX * pace));
        return Math.clamp((long) wanted, 1, resources.subtasksPerTaskMax());
    }

    /** This rate, or the next lower one for which there are enough subtasks. */
    private double affordable(List<TaskProfile> tasks, double pace) {
        if (subtasks(tasks, pace) <= resources.subtasksMax()) {
            return pace;
        }
        double slow =
                Math.max(pace, tasks.stream().mapToDouble(TaskProfile::workSeconds).sum())
                        / UTILISATION_MAX;
        double fast = pace;
        while (slow - fast > PACE_PRECISION * slow) {
            double middle = (slow + fast) / 2;
            if (subtasks(tasks, middle) <= resources.subtasksMax()) {
                slow = middle;
            } else {
                fast = middle;
            }
        }
        return slow;
    }

    private int subtasks(List<TaskProfile> tasks, double pace) {
        int sum = 0;
        for (TaskProfile task : tasks) {
            sum +=
                    keeps(task)
                            ? parallelism.getOrDefault(task.id(), task.parallelism())
                            : needed(task, pace);
        }
        return sum;
    }

    private String reason(TaskProfile task, double pace, String pacer, double cores) {
        int to = parallelism.getOrDefault(task.id(), task.parallelism());
        int from = task.parallelism();
        if (!task.hasTime()) {
            return "it has not processed records";
        }
        if (task.source()) {
            return source(task, to);
        }
        if (finding(task) instanceof Finding.Skew && keeps(task)) {
            return "skew: one subtask has most of the work, and more subtasks would not share it:"
                    + " its key has too few values, or too many records of one value";
        }
        if (!task.growable()) {
            return "its result is computed by one subtask";
        }
        String able =
                String.format(
                        Locale.ROOT,
                        "a busy subtask processes %s a second, %s %s",
                        number(task.trueRate()),
                        pacer,
                        number(pace <= 0 ? 0 : task.recordsIn() / pace));
        if (to > from) {
            return able + (coresLimit(pace, cores) ? "; then all processors are busy" : "");
        }
        if (to == from && task.busyMean() > BottleneckSearch.STANDARD.busy()) {
            return coresLimit(pace, cores)
                    ? "all processors are busy: more subtasks would only share them"
                    : able;
        }
        return to < from ? able + ": the other subtasks wait" : "it is not a bottleneck";
    }

    private static boolean coresLimit(double pace, double cores) {
        return cores >= Advice.CORES_BUSY * pace;
    }

    private String source(TaskProfile task, int to) {
        if (to > task.parallelism()) {
            return "it reads all the time and no downstream task is slower: try twice as many"
                    + " readers";
        }
        if (!holdsUp(task)) {
            return "downstream tasks are slower";
        }
        return mayGrow(task)
                ? "it has the maximum number of readers"
                : "more readers do not increase the rate";
    }

    private static String number(double rate) {
        return rate >= 100
                ? String.format(Locale.ROOT, "%,.0f", rate)
                : String.format(Locale.ROOT, "%.2f", rate);
    }
}
