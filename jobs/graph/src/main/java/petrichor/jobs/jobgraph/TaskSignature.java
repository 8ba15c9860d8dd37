package petrichor.jobs.jobgraph;

import java.util.HashMap;
import java.util.Map;

/**
 * Identifies a task across runs, by 16 hexadecimal digits of its operation, its chain, its user
 * code, and the signatures of its producers. Runs of the same program give the same signatures, so
 * that the measurements of one run are found in the next. The parallelism is not part of it (later
 * runs may change it), nor are the names of source and sink files (which usually differ between
 * runs).
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

    /** The part of a vertex' operation that belongs to the program rather than the data. */
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
