package petrichor.jobs.tuning;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import petrichor.jobs.jobgraph.ChannelMetrics;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.SubtaskMetrics;

/**
 * What the tasks of a job graph did in an interval. Immutable. A fused task is part of the task in
 * whose threads it runs.
 *
 * @param tasks producers before consumers
 */
public record JobProfile(List<TaskProfile> tasks) {
    public JobProfile {
        tasks = inStages(inOrder(inCarriers(tasks)));
    }

    /** Sets, for every task, the duration of its stage. */
    private static List<TaskProfile> inStages(List<TaskProfile> tasks) {
        Map<Integer, Long> stages = new HashMap<>();
        tasks.forEach(task -> stages.merge(task.stage(), task.elapsedNanos(), Math::max));
        return tasks.stream()
                .map(task -> task.inStageOf(stages.getOrDefault(task.stage(), 0L)))
                .toList();
    }

    /** The profile since the start of the job. */
    public static JobProfile of(ExecutionGraph image) {
        return new JobProfile(ProfiledTasks.of(image));
    }

    /** The profile since an earlier moment of the same run; both from the original images. */
    public JobProfile since(JobProfile earlier) {
        Map<Integer, TaskProfile> before = new HashMap<>();
        earlier.tasks.forEach(task -> before.put(task.id(), task));
        return new JobProfile(
                tasks.stream()
                        .map(
                                task -> {
                                    TaskProfile old = before.get(task.id());
                                    return old == null ? task : since(task, old);
                                })
                        .toList());
    }

    private static TaskProfile since(TaskProfile task, TaskProfile old) {
        List<SubtaskMetrics> metrics = new ArrayList<>();
        for (int i = 0; i < task.parallelism(); i++) {
            SubtaskMetrics now = task.subtasks().get(i);
            SubtaskMetrics then =
                    i < old.parallelism() ? old.subtasks().get(i) : SubtaskMetrics.NONE;
            metrics.add(now.since(then));
        }
        return with(task, task.name(), task.inputs(), metrics);
    }

    public TaskProfile task(int id) {
        return tasks.stream()
                .filter(task -> task.id() == id)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no task " + id));
    }

    /** The direct consumers of a task. */
    List<TaskProfile> fedBy(int id) {
        return tasks.stream().filter(task -> task.inputs().contains(id)).toList();
    }

    /** All tasks downstream of a task. */
    Set<Integer> behind(int id) {
        Set<Integer> found = new HashSet<>();
        List<Integer> open = new ArrayList<>(List.of(id));
        while (!open.isEmpty()) {
            for (TaskProfile next : fedBy(open.removeLast())) {
                if (found.add(next.id())) {
                    open.add(next.id());
                }
            }
        }
        return found;
    }

    /** The outgoing edges of a task, with the saturation of their channels. */
    public List<EdgeProfile> edgesFrom(TaskProfile task) {
        return fedBy(task.id()).stream().map(to -> edge(task, to.id())).toList();
    }

    private static EdgeProfile edge(TaskProfile from, int to) {
        double sum = 0;
        double max = 0;
        int senders = 0;
        for (SubtaskMetrics sender : from.subtasks()) {
            if (sender.elapsedNanos() > 0) {
                long waited =
                        sender.channels().stream()
                                .filter(channel -> channel.to().vertex() == to)
                                .mapToLong(ChannelMetrics::waitedNanos)
                                .sum();
                double full = Math.clamp((double) waited / sender.elapsedNanos(), 0, 1);
                sum += full;
                max = Math.max(max, full);
                senders++;
            }
        }
        // A channel that is full for all of a short life is not full for long.
        double lived =
                from.stageNanos() <= 0 ? 0 : (double) from.elapsedNanos() / from.stageNanos();
        return new EdgeProfile(
                from.id(), to, senders == 0 ? 0 : lived * sum / senders, lived * max);
    }

    /** Duration of the interval. */
    public double elapsedSeconds() {
        Map<Integer, Double> stages = new HashMap<>();
        tasks.forEach(task -> stages.merge(task.stage(), task.elapsedSeconds(), Math::max));
        return stages.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /** Assigns the work of fused tasks to the tasks in whose threads they run. */
    private static List<TaskProfile> inCarriers(List<TaskProfile> tasks) {
        Map<Integer, TaskProfile> byId = new LinkedHashMap<>();
        tasks.forEach(task -> byId.put(task.id(), task));
        Map<Integer, Integer> carrier = new HashMap<>();
        for (TaskProfile task : tasks) {
            if (worksElsewhere(task)) {
                carrier.put(task.id(), task.inputs().getFirst());
            }
        }
        for (TaskProfile task : tasks) {
            int to = task.id();
            while (carrier.containsKey(to)) {
                to = carrier.get(to);
            }
            TaskProfile into = byId.get(to);
            if (to != task.id() && into != null && into.hasTime()) {
                byId.put(to, together(into, task));
                byId.remove(task.id());
            }
        }
        List<TaskProfile> all = new ArrayList<>();
        for (TaskProfile task : byId.values()) {
            List<Integer> inputs = new ArrayList<>();
            for (int input : task.inputs()) {
                int from = input;
                while (!byId.containsKey(from) && carrier.containsKey(from)) {
                    from = carrier.get(from);
                }
                inputs.add(from);
            }
            all.add(with(task, task.name(), inputs, task.subtasks()));
        }
        return all;
    }

    /** It has emitted records, but has no threads of its own. */
    private static boolean worksElsewhere(TaskProfile task) {
        return !task.hasTime() && task.inputs().size() == 1 && task.recordsOut() > 0;
    }

    private static TaskProfile together(TaskProfile task, TaskProfile within) {
        List<SubtaskMetrics> metrics = new ArrayList<>(task.subtasks());
        for (int i = 0; i < Math.min(task.parallelism(), within.parallelism()); i++) {
            metrics.set(i, task.subtasks().get(i).plus(within.subtasks().get(i)));
        }
        List<String> keys = new ArrayList<>(task.keys());
        keys.addAll(within.keys());
        return new TaskProfile(
                task.id(),
                task.name() + " → " + within.name(),
                task.stage(),
                task.source(),
                task.growable() && within.growable(),
                task.inputs(),
                keys,
                metrics);
    }

    private static TaskProfile with(
            TaskProfile task, String name, List<Integer> inputs, List<SubtaskMetrics> metrics) {
        return new TaskProfile(
                task.id(),
                name,
                task.stage(),
                task.source(),
                task.growable(),
                inputs,
                task.keys(),
                metrics);
    }

    private static List<TaskProfile> inOrder(List<TaskProfile> tasks) {
        List<TaskProfile> ordered = new ArrayList<>();
        List<TaskProfile> open = new ArrayList<>(tasks);
        Set<Integer> known = new HashSet<>();
        Set<Integer> all = new HashSet<>();
        tasks.forEach(task -> all.add(task.id()));
        while (!open.isEmpty()) {
            List<TaskProfile> ready =
                    open.stream()
                            .filter(
                                    task ->
                                            task.inputs().stream()
                                                    .allMatch(
                                                            input ->
                                                                    known.contains(input)
                                                                            || !all.contains(
                                                                                    input)))
                            .toList();
            if (ready.isEmpty()) {
                throw new IllegalArgumentException("tasks form a cycle: " + open);
            }
            ready.forEach(task -> known.add(task.id()));
            ordered.addAll(ready);
            open.removeAll(ready);
        }
        return List.copyOf(ordered);
    }
}
