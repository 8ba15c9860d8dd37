package petrichor.jobs.jobgraph;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Divides a job into execution stages: a stage may start when the previous one has finished. Tasks
 * connected by anything but a file run at the same time, so they share a stage; a file's consumer
 * is in a later stage than its producer.
 */
final class Stages {
    private Stages() {}

    /**
     * The stage of each vertex, from 0; empty where files contradict pipelines: two tasks would
     * have to run both at the same time and one after the other.
     */
    static Optional<Map<Integer, Integer>> of(JobGraph graph) {
        Map<Integer, Integer> stages = new HashMap<>();
        graph.vertices().forEach(vertex -> stages.put(vertex.id(), 0));
        // The longest possible chain of stages has one vertex in each: more rounds mean a
        // contradiction.
        for (int round = 0; round <= graph.vertices().size(); round++) {
            if (!raise(graph, stages)) {
                return Optional.of(Map.copyOf(stages));
            }
        }
        return Optional.empty();
    }

    /**
     * Raises vertices to later stages until every edge of this pass is satisfied; returns whether
     * one was raised.
     */
    private static boolean raise(JobGraph graph, Map<Integer, Integer> stages) {
        boolean raised = false;
        for (var edge : graph.edges()) {
            int from = stages.getOrDefault(edge.from(), 0);
            int to = stages.getOrDefault(edge.to(), 0);
            boolean file = edge.channel() == ChannelType.FILE;
            if (file && to <= from) {
                stages.put(edge.to(), from + 1);
                raised = true;
            } else if (!file && from != to) {
                stages.put(edge.from(), Math.max(from, to));
                stages.put(edge.to(), Math.max(from, to));
                raised = true;
            }
        }
        return raised;
    }
}
