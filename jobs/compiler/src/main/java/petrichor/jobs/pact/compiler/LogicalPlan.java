package petrichor.jobs.pact.compiler;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import petrichor.jobs.pact.Contract;
import petrichor.jobs.pact.PactNode;

/**
 * The input of the enumeration: the contracts that the sinks need, producers before consumers.
 *
 * @param consumers number of inputs that read a contract
 * @param parallelism default number of a contract's subtasks
 * @param learned number of a contract's subtasks, which overrides all others; 0 if there is none
 */
record LogicalPlan(
        String name,
        List<PactNode> sinks,
        List<PactNode> ordered,
        Map<PactNode, Integer> consumers,
        int parallelism,
        ToIntFunction<PactNode> learned) {

    static LogicalPlan of(
            String name, List<PactNode> sinks, int parallelism, ToIntFunction<PactNode> learned) {
        var ordered = new ArrayList<PactNode>();
        var consumers = new LinkedHashMap<PactNode, Integer>();
        sinks.forEach(sink -> visit(sink, ordered, consumers));
        return new LogicalPlan(name, List.copyOf(sinks), ordered, consumers, parallelism, learned);
    }

    private static void visit(
            PactNode node, List<PactNode> ordered, Map<PactNode, Integer> consumers) {
        if (consumers.containsKey(node)) {
            return;
        }
        consumers.put(node, 0);
        for (var input : node.inputs()) {
            visit(input, ordered, consumers);
            consumers.merge(input, 1, Integer::sum);
        }
        ordered.add(node);
    }

    /** Whether a contract has several consumers. */
    boolean isShared(PactNode node) {
        return consumers.getOrDefault(node, 0) > 1;
    }

    /** Number of a contract's subtasks. */
    int parallelismOf(PactNode node) {
        return switch (node.contract()) {
            // A single result for all records comes from a single subtask.
            case Contract.First _ -> 1;
            case Contract.Aggregated(var aggregation) when aggregation.keys().isEmpty() -> 1;
            case Contract.Aggregated _,
                    Contract.Input _,
                    Contract.Kept _,
                    Contract.Map _,
                    Contract.Reduce _,
                    Contract.Match _,
                    Contract.Cross _,
                    Contract.CoGroup _,
                    Contract.Union _,
                    Contract.Ordered _ ->
                    wanted(node) > 0 ? wanted(node) : parallelism;
            // By default a sink has the parallelism of its input: this saves shipping, and the
            // order of the input is kept in the files.
            case Contract.Output _ ->
                    wanted(node) > 0 ? wanted(node) : parallelismOf(node.inputs().getFirst());
        };
    }

    private int wanted(PactNode node) {
        int known = learned.applyAsInt(node);
        return known > 0 ? known : node.parallelism();
    }
}
