package petrichor.jobs.engine.assembly;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import petrichor.jobs.engine.exchange.TaskFigures;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.SubtaskFigures;
import petrichor.jobs.jobgraph.SubtaskId;

/** Metrics of a job's subtasks in this process. Any thread may read them. */
final class JobFigures {
    private final JobGraph graph;
    private final boolean profiled;
    private final Map<Integer, List<TaskFigures>> figures = new HashMap<>();

    /**
     * @param profiled whether tasks are measured
     */
    JobFigures(JobGraph graph, boolean profiled) {
        this.graph = graph;
        this.profiled = profiled;
        for (JobVertex vertex : graph.vertices()) {
            List<TaskFigures> ofVertex = new ArrayList<>();
            for (int i = 0; i < vertex.parallelism(); i++) {
                ofVertex.add(new TaskFigures(profiled));
            }
            figures.put(vertex.id(), new CopyOnWriteArrayList<>(ofVertex));
        }
    }

    /** Metrics of one subtask, which may have been added later. */
    TaskFigures of(JobVertex vertex, int subtask) {
        List<TaskFigures> ofVertex = ofVertex(vertex);
        while (ofVertex.size() <= subtask) {
            ofVertex.add(new TaskFigures(profiled));
        }
        return ofVertex.get(subtask);
    }

    private List<TaskFigures> ofVertex(JobVertex vertex) {
        return figures.getOrDefault(vertex.id(), List.of());
    }

    /** A snapshot, without the subtasks that have done nothing yet. */
    SortedMap<SubtaskId, SubtaskFigures> now() {
        SortedMap<SubtaskId, SubtaskFigures> all = new TreeMap<>();
        figures.forEach(
                (vertex, ofVertex) -> {
                    for (int i = 0; i < ofVertex.size(); i++) {
                        SubtaskFigures now = ofVertex.get(i).now();
                        if (!now.equals(SubtaskFigures.NONE)) {
                            all.put(new SubtaskId(vertex, i), now);
                        }
                    }
                });
        return all;
    }

    Map<String, List<TaskFigures>> byName() {
        Map<String, List<TaskFigures>> byName = new TreeMap<>();
        for (JobVertex vertex : graph.vertices()) {
            byName.merge(
                    vertex.name(),
                    ofVertex(vertex),
                    (a, b) -> {
                        List<TaskFigures> both = new ArrayList<>(a);
                        both.addAll(b);
                        return both;
                    });
        }
        return byName;
    }
}
