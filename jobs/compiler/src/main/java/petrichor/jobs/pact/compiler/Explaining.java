package petrichor.jobs.pact.compiler;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.Order;
import petrichor.jobs.records.RecordType;

/** Describes chosen candidates in words. */
final class Explaining {
    private final List<Explanation.Explained> contracts = new ArrayList<>();
    private final Map<Candidate, Integer> ids = new LinkedHashMap<>();

    private Explaining() {}

    static Explanation of(String plan, List<Candidate> sinks) {
        var explaining = new Explaining();
        sinks.forEach(explaining::visit);
        double nanos = explaining.ids.keySet().stream().mapToDouble(Candidate::ownNanos).sum();
        return new Explanation(plan, explaining.contracts, nanos);
    }

    private int visit(Candidate candidate) {
        var known = ids.get(candidate);
        if (known != null) {
            return known;
        }
        var inputs = new ArrayList<Explanation.Incoming>();
        for (var way : candidate.ways()) {
            int from = visit(way.from());
            var type = way.from().node().type();
            boolean combined =
                    way.before().stream().anyMatch(step -> !(step instanceof Step.First));
            inputs.add(
                    new Explanation.Incoming(
                            from,
                            words(way.shipping(), type, combined ? way.before() : List.of()),
                            words(way.order(), type),
                            combined));
        }
        int id = contracts.size();
        ids.put(candidate, id);
        var type = candidate.node().type();
        contracts.add(
                new Explanation.Explained(
                        id,
                        candidate.node().contract().displayName(),
                        candidate.node().name(),
                        candidate.strategy(),
                        candidate.parallelism(),
                        inputs,
                        candidate.size().records(),
                        candidate.size().bytes(),
                        candidate.cost(),
                        words(candidate.properties().distribution(), type),
                        keyWords(candidate.properties().order().parts(), type)));
        return id;
    }

    private static String words(Shipping shipping, RecordType emitted, List<Step> before) {
        // A combiner of built-in aggregates emits records of another type.
        var type = before.isEmpty() ? emitted : before.getLast().output(emitted);
        return switch (shipping) {
            case Shipping.Forward() -> "forward";
            case Shipping.Rebalance() -> "rebalance";
            case Shipping.HashPartition(var key) -> "hash(" + keyWords(key.parts(), type) + ")";
            case Shipping.RangePartition(var key, var _) ->
                    "range(" + keyWords(key.parts(), type) + ")";
            case Shipping.Broadcast() -> "broadcast";
            case Shipping.FragmentAndReplicate(var rows, var columns, var _) ->
                    "grid(" + rows + " x " + columns + ")";
        };
    }

    private static String words(InputOrder order, RecordType type) {
        return switch (order) {
            case InputOrder.AsTheyCome() -> "";
            case InputOrder.Sorted(var key) -> "sort(" + keyWords(key.parts(), type) + ")";
            case InputOrder.Merged(var key) -> "merge(" + keyWords(key.parts(), type) + ")";
            case InputOrder.Buffered() -> "buffer all";
        };
    }

    private static String words(Distribution distribution, RecordType type) {
        return switch (distribution) {
            case Distribution.Random() -> "any";
            case Distribution.Single() -> "one subtask";
            case Distribution.Hashed(var fields) ->
                    "hash(" + keyWords(KeyFields.key(fields).parts(), type) + ")";
            case Distribution.Ranged(var parts) -> "range(" + keyWords(parts, type) + ")";
        };
    }

    private static String keyWords(List<Key.Part> parts, RecordType type) {
        return parts.stream()
                .map(
                        part ->
                                type.name(part.field())
                                        + (part.order() == Order.DESCENDING ? " descending" : ""))
                .collect(Collectors.joining(", "));
    }
}
