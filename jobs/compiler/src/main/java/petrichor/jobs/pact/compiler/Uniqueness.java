package petrichor.jobs.pact.compiler;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import petrichor.jobs.pact.Contract;
import petrichor.jobs.pact.PactNode;
import petrichor.jobs.records.Key;

/**
 * Infers unique keys: from the Unique-Key contract, and by propagation. Uniqueness survives user
 * code that emits at most one record per call and passes the fields on.
 *
 * <p>The thesis (7.3) propagates it through every Same-Key and Super-Key contract. But a Map that
 * keeps the key may still emit a record twice, so here the promise "at most one" is required as
 * well.
 */
final class Uniqueness {
    private final Map<PactNode, Set<Set<Integer>>> known = new LinkedHashMap<>();

    /** Whether no two records of a data set agree in all of these fields. */
    boolean isUnique(PactNode node, Set<Integer> fields) {
        return of(node).stream().anyMatch(fields::containsAll);
    }

    private Set<Set<Integer>> of(PactNode node) {
        var found = known.get(node);
        if (found == null) {
            found = derive(node);
            known.put(node, found);
        }
        return found;
    }

    private Set<Set<Integer>> derive(PactNode node) {
        var sets = new HashSet<>(node.promises().unique());
        if (!node.promises().emitsAtMostOne()) {
            return sets;
        }
        switch (node.contract()) {
            case Contract.Map _, Contract.Ordered _, Contract.First _ -> pass(node, 0, sets);
            // Each group gives at most one record, so a key that is passed on is unique.
            case Contract.Reduce(var key, var _, var _, var _) -> passKey(node, 0, key, sets);
            // A record has at most one partner where the other input's key is unique.
            case Contract.Match(var first, var second, var _) -> {
                if (isUnique(node.inputs().get(1), KeyFields.set(second))) {
                    pass(node, 0, sets);
                }
                if (isUnique(node.inputs().get(0), KeyFields.set(first))) {
                    pass(node, 1, sets);
                }
            }
            case Contract.CoGroup(var first, var second, var _) -> {
                // Only where the key has the same position, regardless of which group was empty.
                var places = node.promises().placesOf(0, KeyFields.list(first));
                if (places.isPresent()
                        && places.equals(node.promises().placesOf(1, KeyFields.list(second)))) {
                    passKey(node, 0, first, sets);
                }
            }
            case Contract.Input _,
                    Contract.Kept _,
                    Contract.Aggregated _,
                    Contract.Cross _,
                    Contract.Union _,
                    Contract.Output _ -> {}
        }
        return sets;
    }

    private void pass(PactNode node, int input, Set<Set<Integer>> into) {
        for (var unique : of(node.inputs().get(input))) {
            var places = new HashSet<Integer>();
            for (int field : unique) {
                var place = node.promises().placeOf(input, field);
                if (place.isPresent()) {
                    places.add(place.getAsInt());
                }
            }
            if (places.size() == unique.size()) {
                into.add(Set.copyOf(places));
            }
        }
    }

    private static void passKey(PactNode node, int input, Key key, Set<Set<Integer>> into) {
        var places = new HashSet<Integer>();
        for (int field : key.fields()) {
            var place = node.promises().placeOf(input, field);
            if (place.isPresent()) {
                places.add(place.getAsInt());
            }
        }
        if (places.size() == key.size()) {
            into.add(Set.copyOf(places));
        }
    }
}
