package petrichor.jobs.engine.operators;

import java.util.ArrayList;
import java.util.List;
import petrichor.jobs.engine.memory.HashAggregation;
import petrichor.jobs.engine.memory.MemoryShare;
import petrichor.jobs.engine.memory.Workspace;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.RecordType;

/**
 * Operator chaining: the steps after an operation as stages, each of which calls the next.
 * Stateless.
 */
public final class Chain {
    private Chain() {}

    /**
     * The first stage of a chain, or its end if there are no steps.
     *
     * @param first record type of the operation's output
     * @param shareBytes memory of each step that keeps records
     */
    public static ChainedOperator of(
            List<Step> steps,
            RecordType first,
            ChainedOperator end,
            long shareBytes,
            Workspace space) {
        List<RecordType> types = new ArrayList<>();
        RecordType type = first;
        for (Step step : steps) {
            types.add(type);
            type = step.output(type);
        }
        ChainedOperator next = end;
        for (int i = steps.size() - 1; i >= 0; i--) {
            next = stage(steps.get(i), types.get(i), next, shareBytes, space);
        }
        return next;
    }

    private static ChainedOperator stage(
            Step step, RecordType input, ChainedOperator next, long shareBytes, Workspace space) {
        MemoryShare share = new MemoryShare(shareBytes);
        return switch (step) {
            case Step.Map map -> new ChainedMap(map, next);
            case Step.First first -> new ChainedLimit(first.records(), next);
            case Step.Combine combine ->
                    new ChainedCombine(
                            new HashAggregation(
                                    combine.aggregation(),
                                    Aggregation.Step.PARTIAL,
                                    input,
                                    combine.output(input),
                                    share,
                                    space),
                            next);
            case Step.CombineGroups groups ->
                    new ChainedGroupCombine(groups, input, share, space.pool(), next);
        };
    }
}
