package petrichor.jobs.jobgraph;

import java.util.HashMap;
import java.util.Map;

/**
 * What a task is, in 16 hexadecimal digits: its operation, its chain, its user code, and the
 * signatures of what feeds it. Runs of the same program give the same signatures, so that what was
 * measured in one run is found again in the next. The number of subtasks is not part of it (that is
 * what a later run wants to change), nor is what a source reads or a sink writes (tomorrow's file
 * is another one).
 */
public record TaskSignature(String digits) {
    /** The signatures of all tasks of a (checked) job, by vertex. */
    public static Map<Integer, TaskSignature> of(JobGraph job) {
        Map<Integer, TaskSignature> signatures = new HashMap<>();
        for (var vertex : job.inOrder()) {
            var digest = new SignatureDigest().with(operationOf(vertex));
            vertex.inputs().forEach(digest::with);
            for (var step : vertex.chain()) {
                digest.with(step);
            }
            for (var edge : job.incoming(vertex.id())) {
                var before = signatures.get(edge.from());
                digest.with(edge.input() + " " + (before == null ? "" : before.digits()));
            }
            signatures.put(vertex.id(), new TaskSignature(digest.digits()));
        }
        return Map.copyOf(signatures);
    }

    /** What of a vertex' operation is the program's, not the data's. */
    private static Object operationOf(JobVertex vertex) {
        return switch (vertex.operation()) {
            case Operation.Read(var source) ->
                    "read " + source.getClass().getName() + source.type();
            case Operation.Write(var sink) -> "write " + sink.getClass().getName();
            case Operation.Relay _,
                    Operation.SortedReduce _,
                    Operation.HashAggregate _,
                    Operation.SortedAggregate _,
                    Operation.MergeJoin _,
                    Operation.HashJoin _,
                    Operation.Cross _,
                    Operation.CoGroup _ ->
                    vertex.operation();
        };
    }
}
