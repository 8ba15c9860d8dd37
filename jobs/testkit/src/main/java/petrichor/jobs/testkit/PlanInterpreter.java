package petrichor.jobs.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.pact.Contract;
import petrichor.jobs.pact.PactNode;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.KeyOrder;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordView;

/** A reference interpreter of plans, contract by contract over lists, without optimization. */
public final class PlanInterpreter {
    private final Map<PactNode, List<RecordView>> results = new LinkedHashMap<>();

    /** The input of every sink, by its name, in undefined order. */
    public static Map<String, List<String>> run(Plan plan) throws Exception {
        var interpreter = new PlanInterpreter();
        for (var iteration : plan.iterations()) {
            interpreter.iterate(iteration);
        }
        var rows = new LinkedHashMap<String, List<String>>();
        for (var sink : plan.sinks()) {
            rows.put(
                    sink.name(),
                    interpreter.of(sink.inputs().getFirst()).stream()
                            .map(RecordView::toString)
                            .toList());
        }
        return rows;
    }

    private void iterate(petrichor.jobs.pact.Iteration iteration) throws Exception {
        var current = of(iteration.initialNode());
        for (int round = 0; round < iteration.rounds(); round++) {
            var body = new PlanInterpreter();
            body.results.putAll(results);
            body.results.keySet().removeIf(node -> dependsOn(node, iteration.currentNode()));
            body.results.put(iteration.currentNode(), current);
            var next = body.of(iteration.nextNode());
            var open = iteration.openNode();
            boolean more = open == null || !body.of(open).isEmpty();
            current = next;
            if (!more) {
                break;
            }
        }
        results.put(iteration.resultNode(), current);
    }

    private static boolean dependsOn(PactNode node, PactNode other) {
        return node == other || node.inputs().stream().anyMatch(input -> dependsOn(input, other));
    }

    private List<RecordView> of(PactNode node) throws Exception {
        var known = results.get(node);
        if (known == null) {
            known = compute(node);
            results.put(node, known);
        }
        return known;
    }

    private List<RecordView> compute(PactNode node) throws Exception {
        var inputs = new ArrayList<List<RecordView>>();
        for (var input : node.inputs()) {
            inputs.add(of(input));
        }
        var emitted = new ArrayList<RecordView>();
        var out = Rows.out(node.type(), emitted::add);
        switch (node.contract()) {
            case Contract.Input(var source) -> read(source, emitted);
            case Contract.Map(var code, var _) -> {
                for (var record : inputs.getFirst()) {
                    code.map(record, out);
                }
            }
            case Contract.Reduce(var key, var order, var code, var _) -> {
                for (var group :
                        ReferenceAggregates.groups(key, sorted(order, inputs.getFirst()))) {
                    code.reduce(new ListGroup(group), out);
                }
            }
            case Contract.Aggregated(var aggregation) ->
                    emitted.addAll(
                            ReferenceAggregates.aggregate(
                                    aggregation,
                                    petrichor.jobs.records.Aggregation.Step.WHOLE,
                                    node.inputs().getFirst().type(),
                                    inputs.getFirst()));
            case Contract.Match(var first, var second, var code) -> {
                for (var a : inputs.get(0)) {
                    for (var b : inputs.get(1)) {
                        if (order(first, a, second, b) == 0) {
                            code.join(a, b, out);
                        }
                    }
                }
            }
            case Contract.Cross(var code) -> {
                for (var a : inputs.get(0)) {
                    for (var b : inputs.get(1)) {
                        code.join(a, b, out);
                    }
                }
            }
            case Contract.CoGroup group -> coGroup(group, inputs.get(0), inputs.get(1), out);
            case Contract.Union _ -> inputs.forEach(emitted::addAll);
            case Contract.Ordered(var key) -> emitted.addAll(sorted(key, inputs.getFirst()));
            case Contract.First(var number, var _) ->
                    inputs.getFirst().stream().limit(number).forEach(emitted::add);
            case Contract.Kept _, Contract.Output _ ->
                    throw new IllegalStateException(node + " is not computed");
        }
        return emitted;
    }

    static void read(Source source, List<RecordView> into) throws Exception {
        for (var split : source.splits(1)) {
            try (var reader = source.open(split)) {
                boolean more = true;
                while (more) {
                    more = reader.read(Rows.out(source.type(), into::add));
                }
            }
        }
    }

    static List<RecordView> sorted(Key key, List<RecordView> records) {
        if (records.isEmpty()) {
            return records;
        }
        var sorted = new ArrayList<>(records);
        sorted.sort(KeyOrder.of(key, records.getFirst().type())::compare);
        return sorted;
    }

    static int order(Key first, RecordView a, Key second, RecordView b) {
        return KeyOrder.of(first, a.type(), second, b.type()).compare(a, b);
    }

    /** Groups both lists by their keys, in key order; a missing key is an empty group. */
    static void coGroup(
            Contract.CoGroup contract, List<RecordView> first, List<RecordView> second, Out out)
            throws Exception {
        var left = ReferenceAggregates.groups(contract.first(), first);
        var right = ReferenceAggregates.groups(contract.second(), second);
        int i = 0;
        int j = 0;
        while (i < left.size() || j < right.size()) {
            int order =
                    i == left.size()
                            ? 1
                            : j == right.size()
                                    ? -1
                                    : order(
                                            contract.first(),
                                            left.get(i).getFirst(),
                                            contract.second(),
                                            right.get(j).getFirst());
            var a = order <= 0 ? left.get(i++) : List.<RecordView>of();
            var b = order >= 0 ? right.get(j++) : List.<RecordView>of();
            contract.code().coGroup(new ListGroup(a), new ListGroup(b), out);
        }
    }
}
