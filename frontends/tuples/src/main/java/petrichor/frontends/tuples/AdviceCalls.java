package petrichor.frontends.tuples;

import petrichor.frontends.tuples.wire.AdvisePlacementRequest;
import petrichor.frontends.tuples.wire.ApplyPlacementAdviceRequest;
import petrichor.frontends.tuples.wire.Collection;
import petrichor.frontends.tuples.wire.OperationCost;
import petrichor.frontends.tuples.wire.PlacementAdvice;
import petrichor.placement.advisor.Choice.Priced;
import petrichor.placement.advisor.Cost;
import petrichor.placement.advisor.NodeTime;
import petrichor.placement.advisor.OperationKind;
import petrichor.tuples.PlacementAdvisor;
import petrichor.tuples.PlacementOption;
import petrichor.tuples.TupleStore;

/** The calls that choose a placement. Stateless. */
final class AdviceCalls {
    private static final int NODES_DEFAULT = 10;
    private static final String ALL = "all";

    private AdviceCalls() {}

    private static PlacementAdvisor advisor(int nodes) {
        return new PlacementAdvisor(nodes == 0 ? NODES_DEFAULT : nodes, NodeTime.DEFAULT);
    }

    static PlacementAdvice advise(TupleStore store, AdvisePlacementRequest request) {
        petrichor.tuples.PlacementAdvice advice =
                advisor(request.getNodes()).advise(store, request.getCollection());
        PlacementAdvice.Builder message =
                PlacementAdvice.newBuilder()
                        .setText(advice.text())
                        .setOperations(advice.sample().operations())
                        .setEvaluated(advice.sample().evaluated())
                        .setTuples(advice.sample().tuples())
                        .setComplete(advice.sample().complete())
                        .setNodes(advice.sample().nodes());
        Priced<PlacementOption> better = advice.better().orElse(null);
        for (Priced<PlacementOption> option : advice.options()) {
            message.addOptions(
                    option(option)
                            .setCurrent(option.equals(advice.choice().current()))
                            .setRecommended(option.equals(better)));
        }
        advice.materialised()
                .ifPresent(
                        copies ->
                                message.getMaterialisedBuilder()
                                        .setReaders(copies.readers())
                                        .setCopies(copies.copies())
                                        .setMicros(copies.micros()));
        return message.build();
    }

    private static PlacementAdvice.Option.Builder option(Priced<PlacementOption> priced) {
        PlacementAdvice.Option.Builder option =
                PlacementAdvice.Option.newBuilder()
                        .setPlacement(CollectionCalls.message(priced.option().placement()))
                        .setWithoutTagIndex(!priced.option().tagIndex())
                        .setText(priced.option().text())
                        .setMicros(priced.micros());
        for (OperationKind kind : OperationKind.values()) {
            var of = priced.estimate().kinds().get(kind);
            if (of != null) {
                option.addCosts(cost(kind.label(), of.operations(), of.cost()));
            }
        }
        return option.addCosts(cost(ALL, priced.estimate().operations(), priced.estimate().cost()));
    }

    private static OperationCost cost(String operation, int operations, Cost cost) {
        return OperationCost.newBuilder()
                .setOperation(operation)
                .setOperations(operations)
                .setNodes(cost.nodes())
                .setMessages(cost.messages())
                .setRowsRead(cost.rowsRead())
                .setBytesRead(cost.bytesRead())
                .setRowsWritten(cost.rowsWritten())
                .setBytesWritten(cost.bytesWritten())
                .build();
    }

    static Collection apply(TupleStore store, ApplyPlacementAdviceRequest request) {
        return CollectionCalls.message(
                advisor(request.getNodes()).apply(store, request.getCollection()));
    }
}
