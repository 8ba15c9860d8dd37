package petrichor.jobs.pact.compiler;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.pact.Contract;
import petrichor.jobs.pact.PactNode;
import petrichor.jobs.pact.Promises;

/**
 * Logical rewriting, before costs are known, where it always pays and the promises allow it: filter
 * push-down as near to the sources as the fields that a filter reads exist unchanged, and "the
 * first few of the sorted" does not sort the rest (top-k).
 *
 * <p>A filter is opaque user code and addresses fields by position. So it can only pass a contract
 * that keeps those fields in the same positions.
 */
final class Rewriting {
    private final LogicalPlan plan;
    private final Map<PactNode, PactNode> rewritten = new LinkedHashMap<>();

    private Rewriting(LogicalPlan plan) {
        this.plan = plan;
    }

    static LogicalPlan of(LogicalPlan plan) {
        var rewriting = new Rewriting(plan);
        var sinks = plan.sinks().stream().map(rewriting::rewrite).toList();
        return LogicalPlan.of(plan.name(), sinks, plan.parallelism(), plan.learned());
    }

    private PactNode rewrite(PactNode node) {
        var known = rewritten.get(node);
        if (known == null) {
            known = improved(node);
            rewritten.put(node, known);
        }
        return known;
    }

    private PactNode improved(PactNode node) {
        var contract = node.contract();
        var below = node.inputs().isEmpty() ? null : node.inputs().getFirst();
        if (below != null
                && contract instanceof Contract.First(var records, var _)
                && below.contract() instanceof Contract.Ordered(var key)) {
            var from = rewrite(below.inputs().getFirst());
            return node.rewritten(
                    new Contract.First(records, key), List.of(from), node.type(), node.promises());
        }
        if (below != null && isFilter(node) && !plan.isShared(below)) {
            var passed = passing(node, below);
            if (passed != null) {
                return passed;
            }
        }
        var inputs = node.inputs().stream().map(this::rewrite).toList();
        return inputs.equals(node.inputs()) ? node : node.over(inputs);
    }

    private static boolean isFilter(PactNode node) {
        return node.contract() instanceof Contract.Map(var _, var filter)
                && filter
                && node.promises().reads() != null;
    }

    /**
     * The contract below with the filter pushed to its inputs, or null if the filter must stay
     * above it.
     */
    private @Nullable PactNode passing(PactNode filter, PactNode below) {
        var reads = filter.promises().reads();
        if (reads == null) {
            return null;
        }
        return switch (below.contract()) {
            case Contract.Map(var _, var isFilter) ->
                    // Two filters would swap places forever.
                    !isFilter && handsOn(below, 0, reads) ? under(filter, below, 0) : null;
            case Contract.Reduce(var key, var _, var _, var _) ->
                    // The filter keeps or drops whole groups.
                    KeyFields.set(key).containsAll(reads) && handsOn(below, 0, reads)
                            ? under(filter, below, 0)
                            : null;
            case Contract.Aggregated(var aggregation) ->
                    aggregation.keys().containsAll(reads) && handsOn(below, 0, reads)
                            ? under(filter, below, 0)
                            : null;
            case Contract.Match _, Contract.Cross _ ->
                    handsOn(below, 0, reads)
                            ? under(filter, below, 0)
                            : handsOn(below, 1, reads) ? under(filter, below, 1) : null;
            case Contract.Ordered _ -> under(filter, below, 0);
            case Contract.Union _ -> underAll(filter, below);
            case Contract.CoGroup _,
                    Contract.First _,
                    Contract.Input _,
                    Contract.Kept _,
                    Contract.Output _ ->
                    null;
        };
    }

    private static boolean handsOn(PactNode node, int input, Set<Integer> fields) {
        return fields.stream()
                .allMatch(
                        field -> {
                            var origin = node.promises().originOf(input, field);
                            return origin.isPresent() && origin.getAsInt() == field;
                        });
    }

    private PactNode under(PactNode filter, PactNode below, int input) {
        var inputs = new ArrayList<>(below.inputs());
        inputs.set(input, filtered(filter, inputs.get(input)));
        return rewrite(below.over(inputs));
    }

    private PactNode underAll(PactNode filter, PactNode below) {
        return rewrite(
                below.over(below.inputs().stream().map(input -> filtered(filter, input)).toList()));
    }

    private static PactNode filtered(PactNode filter, PactNode input) {
        var reads = filter.promises().reads();
        var promises = Promises.allConstant(input.type().size()).withAtMostOne();
        return filter.rewritten(
                filter.contract(),
                List.of(input),
                input.type(),
                reads == null ? promises : promises.reading(reads));
    }
}
