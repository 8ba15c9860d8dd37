package petrichor.jobs.pact.compiler;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import petrichor.base.PetrichorException;
import petrichor.jobs.pact.Contract;
import petrichor.jobs.pact.Hints;
import petrichor.jobs.pact.Iteration;
import petrichor.jobs.pact.PactNode;
import petrichor.jobs.pact.Plan;

/**
 * Divides a plan with iterations into parts that are job graphs: the initial data set of an
 * iteration and the inputs of its body from outside (computed once, kept), the body (repeated), and
 * the rest.
 */
final class ProgramParts {
    private final Plan plan;
    private final IntermediateStore keeping;
    private final PartCompiler compiler;
    private final Substitution kept = new Substitution();
    private final List<Program.Part> parts = new ArrayList<>();
    private int loops;

    /** Compiles one acyclic part to a job graph. */
    interface PartCompiler {
        Program.Once compile(String name, List<PactNode> sinks);

        /** The estimated output of a contract. */
        Size estimate(PactNode node);
    }

    ProgramParts(Plan plan, IntermediateStore keeping, PartCompiler compiler) {
        this.plan = plan;
        this.keeping = keeping;
        this.compiler = compiler;
    }

    Program program() {
        var open = new ArrayList<>(plan.iterations());
        while (!open.isEmpty()) {
            var next = open.stream().filter(this::canRun).findFirst();
            if (next.isEmpty()) {
                throw PetrichorException.invalid(
                        "the iterations of the plan \"{plan}\" are nested: only sequential"
                                + " iterations are supported",
                        "plan",
                        plan.name());
            }
            iterate(next.get());
            open.remove(next.get());
        }
        var sinks = kept.apply(plan.sinks());
        parts.add(compiler.compile(plan.name(), sinks));
        return new Program(plan.name(), parts);
    }

    /** Whether all of its inputs are kept already, except those that it keeps itself. */
    private boolean canRun(Iteration iteration) {
        return ends(iteration).stream()
                .flatMap(end -> PlanCheck.below(end).stream())
                .filter(node -> node.contract() instanceof Contract.Kept)
                .allMatch(node -> node == iteration.currentNode() || kept.contains(node));
    }

    private static List<PactNode> ends(Iteration iteration) {
        var ends = new ArrayList<>(List.of(iteration.initialNode(), iteration.nextNode()));
        var open = iteration.openNode();
        if (open != null) {
            ends.add(open);
        }
        return ends;
    }

    private void iterate(Iteration iteration) {
        loops++;
        var prefix = "loop" + loops + "-";
        var body = new Body(iteration);
        var before = new ArrayList<PactNode>();
        var current = iteration.currentNode();
        before.add(
                kept.apply(iteration.initialNode())
                        .writtenTo(keeping.sink(prefix + "current", current.type())));
        var inside = new Substitution();
        inside.put(current, replacement(current, iteration.initialNode(), prefix + "current"));
        for (var outside : body.outside()) {
            if (outside.contract() instanceof Contract.Input) {
                continue;
            }
            if (outside.contract() instanceof Contract.Kept) {
                inside.put(outside, kept.apply(outside));
                continue;
            }
            var slot = prefix + "outside" + before.size();
            before.add(kept.apply(outside).writtenTo(keeping.sink(slot, outside.type())));
            inside.put(outside, replacement(outside, outside, slot));
        }
        parts.add(compiler.compile(plan.name() + ", before loop " + loops, before));

        var ends = new ArrayList<PactNode>();
        ends.add(
                inside.apply(iteration.nextNode())
                        .writtenTo(keeping.sink(prefix + "next", current.type())));
        var open = iteration.openNode();
        if (open != null) {
            var both = inside.apply(List.of(iteration.nextNode(), open));
            ends.clear();
            ends.add(both.get(0).writtenTo(keeping.sink(prefix + "next", current.type())));
            ends.add(both.get(1).writtenTo(keeping.sink(prefix + "open", open.type())));
        }
        var round = compiler.compile(plan.name() + ", loop " + loops, ends);
        parts.add(
                new Program.Rounds(
                        round.graph(),
                        round.explanation(),
                        iteration.rounds(),
                        prefix + "current",
                        prefix + "next",
                        open == null ? null : prefix + "open"));
        var result = iteration.resultNode();
        kept.put(result, replacement(result, iteration.initialNode(), prefix + "current"));
    }

    private PactNode replacement(PactNode node, PactNode like, String slot) {
        var size = compiler.estimate(kept.apply(like));
        var hints =
                Hints.NONE.withRecords(size.records()).withBytesPerRecord(size.bytesPerRecord());
        return node.kept(keeping.source(slot, node.type()), hints);
    }

    /**
     * The contracts that change from round to round (the dynamic data path), and their inputs that
     * do not.
     */
    private static final class Body {
        private final Map<PactNode, Boolean> changing = new LinkedHashMap<>();
        private final Set<PactNode> outside = new LinkedHashSet<>();
        private final List<PactNode> ordered = new ArrayList<>();

        Body(Iteration iteration) {
            changing.put(iteration.currentNode(), true);
            var ends = new ArrayList<>(List.of(iteration.nextNode()));
            var open = iteration.openNode();
            if (open != null) {
                ends.add(open);
            }
            for (var end : ends) {
                if (!changes(end)) {
                    add(end);
                }
            }
        }

        List<PactNode> outside() {
            return ordered;
        }

        private boolean changes(PactNode node) {
            var known = changing.get(node);
            if (known != null) {
                return known;
            }
            boolean changes = false;
            for (var input : node.inputs()) {
                changes |= changes(input);
            }
            changing.put(node, changes);
            if (changes) {
                node.inputs().stream().filter(input -> !changes(input)).forEach(this::add);
            }
            return changes;
        }

        private void add(PactNode node) {
            if (outside.add(node)) {
                ordered.add(node);
            }
        }
    }
}
