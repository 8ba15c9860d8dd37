package petrichor.jobs.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import petrichor.jobs.engine.assembly.JobAssembly;
import petrichor.jobs.engine.exchange.TaskMembership;
import petrichor.jobs.engine.operators.Subtask;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.Scaling;
import petrichor.jobs.jobgraph.TaskScaling;

/**
 * Live scaling: adjusts the parallelism of a running stage's tasks as a {@link Scaling} policy
 * decides and as memory for additional blocks permits. Belongs to the job's thread.
 */
final class StageScaling {
    /** Blocks of added subtasks may use at most a quarter of the memory for sorts and tables. */
    private static final int MEMORY_PART = 4;

    private final JobGraph graph;
    private final JobAssembly assembly;
    private final JobProgress progress;
    private final Scaling scaling;
    private final long bytesMax;
    private final Map<Integer, TaskMembership> memberships;
    private long askedNanos = System.nanoTime();

    StageScaling(
            JobGraph graph,
            JobAssembly assembly,
            JobProgress progress,
            Scaling scaling,
            long memoryBytes,
            int stage) {
        this.graph = graph;
        this.assembly = assembly;
        this.progress = progress;
        this.scaling = scaling;
        this.bytesMax = memoryBytes / MEMORY_PART;
        this.memberships = assembly.memberships(stage);
    }

    /** How often the policy is to be consulted. */
    Duration every() {
        return scaling.every();
    }

    /** Returns the subtasks to be started now; usually none. */
    List<Subtask> due(Duration elapsed) {
        long now = System.nanoTime();
        if (now - askedNanos < every().toNanos()) {
            return List.of();
        }
        askedNanos = now;
        Map<Integer, Integer> present = new TreeMap<>();
        memberships.forEach(
                (vertex, membership) -> {
                    int size = membership.size();
                    if (size > 0) {
                        present.put(vertex, size);
                    }
                });
        List<Subtask> joined = new ArrayList<>();
        if (!present.isEmpty()) {
            progress.measured(assembly.measured());
            Map<Integer, Integer> left = new HashMap<>(present);
            for (Scaling.Wish wish : scaling.wishes(progress.image(), present, elapsed)) {
                Integer from = left.remove(wish.vertex());
                if (from != null) {
                    joined.addAll(change(wish, from, elapsed));
                }
            }
        }
        return joined;
    }

    private List<Subtask> change(Scaling.Wish wish, int from, Duration at) {
        TaskMembership membership = memberships.get(wish.vertex());
        if (membership == null) {
            return List.of();
        }
        int to =
                Math.clamp(
                        wish.subtasks(),
                        membership.least(),
                        Math.max(from, TaskMembership.SUBTASKS_MAX));
        if (to < from) {
            membership.dismiss(from - to);
            progress.scaled(new TaskScaling(wish.vertex(), from, to, at, wish.why()), List.of());
            return List.of();
        }
        List<Subtask> joined = new ArrayList<>();
        while (from + joined.size() < to && hasMemoryForOneMore(wish.vertex())) {
            Subtask one = assembly.join(wish.vertex());
            if (one == null) {
                break;
            }
            joined.add(one);
        }
        if (joined.isEmpty()) {
            return List.of();
        }
        TaskScaling done =
                new TaskScaling(wish.vertex(), from, from + joined.size(), at, wish.why());
        if (!progress.scaled(done, joined.stream().map(Subtask::number).toList())) {
            // The job is ending early.
            joined.forEach(Subtask::abandon);
            return List.of();
        }
        return joined;
    }

    private boolean hasMemoryForOneMore(int vertex) {
        long bytes = assembly.bytesOfOneMore(vertex);
        for (Map.Entry<Integer, TaskMembership> each : memberships.entrySet()) {
            int late =
                    Math.max(0, each.getValue().size() - graph.vertex(each.getKey()).parallelism());
            bytes += late * assembly.bytesOfOneMore(each.getKey());
        }
        return bytes <= bytesMax;
    }
}
