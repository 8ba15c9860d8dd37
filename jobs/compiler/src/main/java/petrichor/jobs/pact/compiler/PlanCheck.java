package petrichor.jobs.pact.compiler;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import petrichor.base.PetrichorException;
import petrichor.jobs.pact.Contract;
import petrichor.jobs.pact.PactNode;
import petrichor.jobs.pact.Plan;

/** Validates a whole plan, and reports errors in words for its author. */
final class PlanCheck {
    private PlanCheck() {}

    static void check(Plan plan) {
        var problems = new ArrayList<String>();
        if (plan.sinks().isEmpty()) {
            problems.add("it writes nothing: end it with write(…)");
        }
        var used = used(plan);
        for (var node : plan.nodes()) {
            if (!used.contains(node) && isEnd(node, plan.nodes())) {
                problems.add(node + " is not used: write(…) it, or remove it");
            }
        }
        for (var sink : plan.sinks()) {
            for (var iteration : plan.iterations()) {
                if (below(sink).contains(iteration.currentNode())) {
                    problems.add(
                            sink
                                    + " writes from inside the iteration over \""
                                    + iteration.initialNode().name()
                                    + "\": write what close(…) returns");
                }
            }
        }
        if (!problems.isEmpty()) {
            throw PetrichorException.invalid(
                    "the plan \"{plan}\" cannot be compiled: {problems}",
                    "plan",
                    plan.name(),
                    "problems",
                    String.join("; ", problems));
        }
    }

    private static boolean isEnd(PactNode node, List<PactNode> nodes) {
        return !(node.contract() instanceof Contract.Output)
                && nodes.stream().noneMatch(other -> other.inputs().contains(node));
    }

    private static Set<PactNode> used(Plan plan) {
        Set<PactNode> used = new LinkedHashSet<>();
        plan.sinks().forEach(sink -> collect(sink, used));
        for (var iteration : plan.iterations()) {
            collect(iteration.initialNode(), used);
            collect(iteration.currentNode(), used);
            collect(iteration.nextNode(), used);
            var open = iteration.openNode();
            if (open != null) {
                collect(open, used);
            }
        }
        return used;
    }

    static Set<PactNode> below(PactNode node) {
        Set<PactNode> below = new LinkedHashSet<>();
        collect(node, below);
        return below;
    }

    private static void collect(PactNode node, Set<PactNode> into) {
        if (into.add(node)) {
            node.inputs().forEach(input -> collect(input, into));
        }
    }
}
