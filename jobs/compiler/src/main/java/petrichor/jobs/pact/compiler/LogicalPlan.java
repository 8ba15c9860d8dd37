package petrichor.jobs.pact.compiler;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import petrichor.jobs.pact.Contract;
import petrichor.jobs.pact.PactNode;

/**
 * What a job graph is made of: the contracts that its sinks need, producers before consumers.
 *
 * @param consumers how many inputs read a contract
 * @param parallelism in how many subtasks a contract runs that does not say
 * @param learned in how many subtasks a contract runs whatever it says; 0 where that is open
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

    /** Whether several inputs read what this contract emits. */
    boolean isShared(PactNode node) {
        return consumers.getOrDefault(node, 0) > 1;
    }

    /** In how many subtasks a contract runs. */
    int parallelismOf(PactNode node) {
        return switch (node.contract()) {
            // One result for everything comes from one place.
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
            // A sink runs where its input runs, unless it says otherwise: fewer ways, and an order
            // that the input has is in the files.
            case Contract.Output _ ->
                    wanted(node) > 0 ? wanted(node) : parallelismOf(node.inputs().getFirst());
        };
    }

    private int wanted(PactNode node) {
        int known = learned.applyAsInt(node);
        return known > 0 ? known : node.parallelism();
    }
}
