package petrichor.jobs.pact.compiler;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import petrichor.jobs.pact.Contract;
import petrichor.jobs.pact.PactNode;
import petrichor.jobs.records.Key;

/**
 * Interesting properties, as in System R: the keys by which later contracts group, join and sort,
 * traced back through constant fields. A candidate that costs more than another survives only
 * because of an interesting property.
 */
final class InterestingProperties {
    /** In fields of the data set, per contract. */
    private final Map<PactNode, Set<Key>> keys = new LinkedHashMap<>();

    /**
     * @param ordered all contracts, producers before consumers
     */
    InterestingProperties(List<PactNode> ordered) {
        ordered.forEach(node -> keys.put(node, new LinkedHashSet<>()));
        for (int at = ordered.size() - 1; at >= 0; at--) {
            var node = ordered.get(at);
            for (int input = 0; input < node.inputs().size(); input++) {
                var into = of(node.inputs().get(input));
                into.addAll(wanted(node, input));
                for (var later : of(node)) {
                    into.addAll(tracedBack(node, input, later));
                }
            }
        }
    }

    /** The interesting keys of a contract's output. */
    Set<Key> of(PactNode node) {
        return keys.computeIfAbsent(node, _ -> new LinkedHashSet<>());
    }

    /** Restricts a candidate's properties to the interesting ones. */
    Properties trimmed(PactNode node, Properties properties) {
        boolean used =
                switch (properties.distribution()) {
                    case Distribution.Random(), Distribution.Single() -> true;
                    case Distribution.Hashed _, Distribution.Ranged _ ->
                            of(node).stream()
                                    .anyMatch(
                                            key ->
                                                    properties
                                                            .distribution()
                                                            .gathers(KeyFields.set(key)));
                };
        int useful = 0;
        for (var key : of(node)) {
            useful = Math.max(useful, usefulParts(properties.order(), key));
        }
        return new Properties(
                used ? properties.distribution() : Distribution.random(),
                new LocalOrder(properties.order().parts().subList(0, useful)));
    }

    private static int usefulParts(LocalOrder order, Key key) {
        boolean grouped = order.groups(KeyFields.set(key));
        return grouped || order.sorts(key) ? key.size() : 0;
    }

    private static List<Key> wanted(PactNode node, int input) {
        return switch (node.contract()) {
            case Contract.Reduce(var key, var _, var _, var _) -> List.of(key);
            case Contract.Aggregated(var aggregation) ->
                    aggregation.keys().isEmpty()
                            ? List.of()
                            : List.of(KeyFields.key(aggregation.keys()));
            case Contract.Match(var first, var second, var _) ->
                    List.of(input == 0 ? first : second);
            case Contract.CoGroup(var first, var second, var _) ->
                    List.of(input == 0 ? first : second);
            case Contract.Ordered(var key) -> List.of(key);
            case Contract.First(var _, var key) -> key == null ? List.of() : List.of(key);
            case Contract.Input _,
                    Contract.Kept _,
                    Contract.Map _,
                    Contract.Cross _,
                    Contract.Union _,
                    Contract.Output _ ->
                    List.of();
        };
    }

    /** A later key, or a prefix of it, in fields of an input, as far as they are constant. */
    private static Set<Key> tracedBack(PactNode node, int input, Key later) {
        var parts = new ArrayList<Key.Part>();
        for (var part : later.parts()) {
            var origin = node.promises().originOf(input, part.field());
            if (origin.isEmpty()) {
                break;
            }
            parts.add(new Key.Part(origin.getAsInt(), part.order()));
        }
        boolean distinct = LocalOrder.fieldsOf(parts).size() == parts.size();
        return parts.isEmpty() || !distinct ? new HashSet<>() : Set.of(new Key(parts));
    }
}
