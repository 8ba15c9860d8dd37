package petrichor.jobs.tuning;

import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.SubtaskMetrics;

/**
 * What the subtasks of one task did in an interval.
 *
 * @param stage stages run one after the other
 * @param source whether it reads from outside the job
 * @param growable whether its parallelism may change
 * @param inputs ids of its producers
 * @param keys identify it in the next run: see {@link Tuning}
 * @param subtasks one per subtask; {@link SubtaskMetrics#NONE} for one that did nothing
 * @param stageNanos duration of its stage in the interval: a task may end long before its stage
 *     does
 */
public record TaskProfile(
        int id,
        String name,
        int stage,
        boolean source,
        boolean growable,
        List<Integer> inputs,
        List<String> keys,
        List<SubtaskMetrics> subtasks,
        long stageNanos) {
    private static final double NANOS_PER_SECOND = 1e9;

    public TaskProfile {
        inputs = List.copyOf(inputs);
        keys = List.copyOf(keys);
        subtasks = List.copyOf(subtasks);
        if (subtasks.isEmpty()) {
            throw PetrichorException.invalid("the task \"{name}\" has no subtask", "name", name);
        }
    }

    /** For a stage that ran as long as this task. */
    public TaskProfile(
            int id,
            String name,
            int stage,
            boolean source,
            boolean growable,
            List<Integer> inputs,
            List<String> keys,
            List<SubtaskMetrics> subtasks) {
        this(id, name, stage, source, growable, inputs, keys, subtasks, elapsedNanos(subtasks));
    }

    TaskProfile inStageOf(long nanos) {
        return new TaskProfile(
                id,
                name,
                stage,
                source,
                growable,
                inputs,
                keys,
                subtasks,
                Math.max(nanos, elapsedNanos()));
    }

    public int parallelism() {
        return subtasks.size();
    }

    /** Whether it has threads of its own; if not, it is fused with the task before it. */
    boolean hasTime() {
        return subtasks.stream().anyMatch(subtask -> subtask.elapsedNanos() > 0);
    }

    /**
     * The average fraction of its stage's time in which a subtask worked: the thesis' pt(v). A
     * subtask that joined late is judged by its own time; a task that ended early by its stage's,
     * since a source of a few records works for all of its short life and is not a bottleneck.
     */
    public double busyMean() {
        double ofItsTime =
                subtasks.stream()
                        .filter(subtask -> subtask.elapsedNanos() > 0)
                        .mapToDouble(TaskProfile::busy)
                        .average()
                        .orElse(0);
        return stageNanos <= 0 ? 0 : ofItsTime * elapsedNanos() / stageNanos;
    }

    /** The same for the busiest subtask. */
    public double busyMax() {
        long most = subtasks.stream().mapToLong(SubtaskMetrics::processingNanos).max().orElse(0);
        double ofStage = stageNanos <= 0 ? 0 : Math.clamp((double) most / stageNanos, 0, 1);
        return Math.max(busyMean(), ofStage);
    }

    private static double busy(SubtaskMetrics subtask) {
        return subtask.elapsedNanos() <= 0
                ? 0
                : Math.clamp((double) subtask.processingNanos() / subtask.elapsedNanos(), 0, 1);
    }

    /** Total working time of its subtasks. */
    public double workSeconds() {
        return seconds(subtasks.stream().mapToLong(SubtaskMetrics::processingNanos).sum());
    }

    /** Total processor time; 0 where that is unknown. */
    public double cpuSeconds() {
        return seconds(subtasks.stream().mapToLong(SubtaskMetrics::cpuNanos).sum());
    }

    /** From the first subtask's start to the last one's end, if they started together. */
    public double elapsedSeconds() {
        return seconds(elapsedNanos());
    }

    long elapsedNanos() {
        return elapsedNanos(subtasks);
    }

    private static long elapsedNanos(List<SubtaskMetrics> subtasks) {
        return subtasks.stream().mapToLong(SubtaskMetrics::elapsedNanos).max().orElse(0);
    }

    /** Ratio of the busiest subtask's working time to the average; 1 without skew. */
    public double imbalance() {
        double all = workSeconds();
        double most =
                seconds(
                        subtasks.stream()
                                .mapToLong(SubtaskMetrics::processingNanos)
                                .max()
                                .orElse(0));
        return all <= 0 ? 1 : Math.max(1, most * parallelism() / all);
    }

    public long recordsIn() {
        return subtasks.stream().mapToLong(SubtaskMetrics::recordsIn).sum();
    }

    public long recordsOut() {
        return subtasks.stream().mapToLong(SubtaskMetrics::recordsOut).sum();
    }

    /** Input records per second of one subtask while it works: its true processing rate. */
    public double trueRate() {
        return rate(recordsIn());
    }

    /** Output records per second of one subtask while it works: its true output rate. */
    public double trueOutputRate() {
        return rate(recordsOut());
    }

    private double rate(long records) {
        double work = workSeconds();
        return work <= 0 ? 0 : records / work;
    }

    private static double seconds(long nanos) {
        return nanos / NANOS_PER_SECOND;
    }
}
