package petrichor.jobs.pact.compiler;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import petrichor.jobs.pact.PactNode;

/** Replaces some contracts of a plan, and rebuilds those that depend on them. */
final class Substitution {
    private final Map<PactNode, PactNode> replaced = new LinkedHashMap<>();

    void put(PactNode node, PactNode other) {
        replaced.put(node, other);
    }

    boolean contains(PactNode node) {
        return replaced.containsKey(node);
    }

    /** The node with everything below it replaced. */
    PactNode apply(PactNode node) {
        return apply(node, new LinkedHashMap<>(replaced));
    }

    /** Several nodes at once: shared inputs stay shared. */
    List<PactNode> apply(List<PactNode> nodes) {
        var known = new LinkedHashMap<>(replaced);
        return nodes.stream().map(node -> apply(node, known)).toList();
    }

    private static PactNode apply(PactNode node, Map<PactNode, PactNode> known) {
        var done = known.get(node);
        if (done == null) {
            var inputs = node.inputs().stream().map(input -> apply(input, known)).toList();
            done = inputs.equals(node.inputs()) ? node : node.over(inputs);
            known.put(node, done);
        }
        return done;
    }
}
