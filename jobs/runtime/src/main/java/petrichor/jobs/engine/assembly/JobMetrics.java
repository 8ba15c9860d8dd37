package petrichor.jobs.engine.assembly;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import petrichor.jobs.engine.exchange.TaskMetrics;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;

/** Metrics of a job's subtasks in this process. Any thread may read them. */
final class JobMetrics {
    private final JobGraph graph;
    private final boolean profiled;
    private final Map<Integer, List<TaskMetrics>> metrics = new HashMap<>();

    /**
     * @param profiled whether tasks are measured
     */
    JobMetrics(JobGraph graph, boolean profiled) {
        this.graph = graph;
        this.profiled = profiled;
        for (JobVertex vertex : graph.vertices()) {
            List<TaskMetrics> ofVertex = new ArrayList<>();
            for (int i = 0; i < vertex.parallelism(); i++) {
                ofVertex.add(new TaskMetrics(profiled));
            }
            metrics.put(vertex.id(), new CopyOnWriteArrayList<>(ofVertex));
        }
    }

    /** Metrics of one subtask, which may have been added later. */
    TaskMetrics of(JobVertex vertex, int subtask) {
        List<TaskMetrics> ofVertex = ofVertex(vertex);
        while (ofVertex.size() <= subtask) {
            ofVertex.add(new TaskMetrics(profiled));
        }
        return ofVertex.get(subtask);
    }

    private List<TaskMetrics> ofVertex(JobVertex vertex) {
        return metrics.getOrDefault(vertex.id(), List.of());
    }

    /** A snapshot, without the subtasks that have done nothing yet. */
    SortedMap<SubtaskId, SubtaskMetrics> now() {
        SortedMap<SubtaskId, SubtaskMetrics> all = new TreeMap<>();
        metrics.forEach(
                (vertex, ofVertex) -> {
                    for (int i = 0; i < ofVertex.size(); i++) {
                        SubtaskMetrics now = ofVertex.get(i).now();
                        if (!now.equals(SubtaskMetrics.NONE)) {
                            all.put(new SubtaskId(vertex, i), now);
                        }
                    }
                });
        return all;
    }

    Map<String, List<TaskMetrics>> byName() {
        Map<String, List<TaskMetrics>> byName = new TreeMap<>();
        for (JobVertex vertex : graph.vertices()) {
            byName.merge(
                    vertex.name(),
                    ofVertex(vertex),
                    (a, b) -> {
                        List<TaskMetrics> both = new ArrayList<>(a);
                        both.addAll(b);
                        return both;
                    });
        }
        return byName;
    }
}
