package petrichor.jobs.pact.compiler;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Side;
import petrichor.jobs.pact.Contract;
import petrichor.jobs.pact.PactNode;
import petrichor.jobs.records.Key;

/** Enumerates the ways to execute Match and CoGroup: bring equal keys of two inputs together. */
final class PairChoices {
    private final Choices choices;

    PairChoices(Choices choices) {
        this.choices = choices;
    }

    /** How both inputs are shipped, and the resulting properties of the output. */
    private record Arrival(DataTransfer first, DataTransfer second, Distribution distribution) {}

    void match(Contract.Match match, Candidate first, Candidate second) {
        for (var arrival : partitioned(match.first(), match.second(), first, second)) {
            offerJoins(match, arrival);
        }
        if (choices.parallelism() > 1) {
            offerJoins(match, broadcast(first, second, Side.FIRST));
            offerJoins(match, broadcast(first, second, Side.SECOND));
        }
    }

    void coGroup(Contract.CoGroup group, Candidate first, Candidate second) {
        var operation =
                new Operation.CoGroup(
                        group.first(), group.second(), group.code(), choices.node().type());
        for (var arrival : partitioned(group.first(), group.second(), first, second)) {
            var a = sorted(arrival.first(), group.first());
            var b = sorted(arrival.second(), group.second());
            // A group may be empty, so only fields that both sides pass on to the same position are
            // known.
            var order = keyOrder(group.first(), group.second(), true);
            var distribution =
                    choices.parallelism() == 1 ? arrival.distribution() : agreed(arrival, group);
            choices.offer(
                    "co-group sorted",
                    operation,
                    List.of(a, b),
                    new Properties(distribution, order),
                    choices.model().merge(a.from().size().records() + b.from().size().records()));
        }
    }

    private Distribution agreed(Arrival arrival, Contract.CoGroup group) {
        var promises = choices.node().promises();
        var a =
                choices.arriving(arrival.first())
                        .distribution()
                        .moved(fields -> promises.placesOf(0, fields));
        var b =
                choices.arriving(arrival.second())
                        .distribution()
                        .moved(fields -> promises.placesOf(1, fields));
        return a.equals(b) && group.first().size() == group.second().size()
                ? a
                : Distribution.random();
    }

    private void offerJoins(Contract.Match match, Arrival arrival) {
        var ways = List.of(arrival.first(), arrival.second());
        var unordered = new Properties(arrival.distribution(), LocalOrder.NONE);
        var a = copies(arrival.first());
        var b = copies(arrival.second());
        int subtasks = choices.parallelism();
        choices.offer(
                "hash join, build first",
                hashJoin(match, Side.FIRST),
                ways,
                unordered,
                choices.model().hashJoin(a, b, subtasks));
        choices.offer(
                "hash join, build second",
                hashJoin(match, Side.SECOND),
                ways,
                unordered,
                choices.model().hashJoin(b, a, subtasks));
        var sorted =
                List.of(
                        sorted(arrival.first(), match.first()),
                        sorted(arrival.second(), match.second()));
        choices.offer(
                "merge join",
                new Operation.MergeJoin(
                        match.first(), match.second(), match.code(), choices.node().type()),
                sorted,
                new Properties(
                        arrival.distribution(), keyOrder(match.first(), match.second(), false)),
                choices.model().merge(a.records() + b.records()));
    }

    private Operation hashJoin(Contract.Match match, Side build) {
        return new Operation.HashJoin(
                match.first(), match.second(), build, match.code(), choices.node().type());
    }

    /** The size of the input at all subtasks together. */
    private Size copies(DataTransfer way) {
        var size = way.from().size();
        return way.shipping() instanceof Shipping.Broadcast
                ? size.withRecords(size.records() * choices.parallelism())
                : size;
    }

    private Arrival broadcast(Candidate first, Candidate second, Side side) {
        var everywhere =
                DataTransfer.of(
                        side == Side.FIRST ? first : second,
                        new Shipping.Broadcast(),
                        InputOrder.asTheyCome());
        var stays = choices.plain(side == Side.FIRST ? second : first);
        int other = side.other().input();
        var distribution =
                choices.arriving(stays)
                        .distribution()
                        .moved(fields -> choices.node().promises().placesOf(other, fields));
        return side == Side.FIRST
                ? new Arrival(everywhere, stays, distribution)
                : new Arrival(stays, everywhere, distribution);
    }

    /**
     * Partitions both inputs by the hash of the same parts of their keys, reusing an existing
     * partitioning.
     */
    private List<Arrival> partitioned(
            Key firstKey, Key secondKey, Candidate first, Candidate second) {
        if (choices.parallelism() == 1) {
            return List.of(
                    new Arrival(
                            choices.plain(first),
                            choices.plain(second),
                            new Distribution.Single()));
        }
        var arrivals = new ArrayList<Arrival>();
        for (var parts : partitions(firstKey, secondKey, first, second)) {
            var a = by(first, at(firstKey, parts));
            var b = by(second, at(secondKey, parts));
            arrivals.add(new Arrival(a, b, handedOn(at(firstKey, parts), at(secondKey, parts))));
        }
        return arrivals;
    }

    private Distribution handedOn(List<Integer> firstFields, List<Integer> secondFields) {
        var promises = choices.node().promises();
        return promises.placesOf(0, firstFields)
                .or(() -> promises.placesOf(1, secondFields))
                .<Distribution>map(Distribution.Hashed::new)
                .orElse(Distribution.random());
    }

    private DataTransfer by(Candidate input, List<Integer> fields) {
        var forward = choices.plain(input);
        boolean done =
                forward.isForward()
                        && input.properties()
                                .distribution()
                                .equals(new Distribution.Hashed(fields));
        return done
                ? forward
                : DataTransfer.of(
                        input,
                        new Shipping.HashPartition(KeyFields.key(fields)),
                        InputOrder.asTheyCome());
    }

    /**
     * The parts of the key by which to partition: all, an existing partitioning, an interesting
     * one.
     */
    private Set<List<Integer>> partitions(
            Key firstKey, Key secondKey, Candidate first, Candidate second) {
        var partitions = new LinkedHashSet<List<Integer>>();
        partitions.add(IntStream.range(0, firstKey.size()).boxed().toList());
        addPresent(partitions, first, firstKey);
        addPresent(partitions, second, secondKey);
        for (var later : choices.interesting()) {
            addOrigins(partitions, later, 0, firstKey);
            addOrigins(partitions, later, 1, secondKey);
        }
        return partitions;
    }

    private static void addPresent(Set<List<Integer>> partitions, Candidate input, Key key) {
        if (input.properties().distribution() instanceof Distribution.Hashed(var fields)) {
            addParts(partitions, fields, key);
        }
    }

    private void addOrigins(Set<List<Integer>> partitions, Key later, int input, Key key) {
        var origins = new ArrayList<Integer>();
        for (int field : later.fields()) {
            choices.node().promises().originOf(input, field).ifPresent(origins::add);
        }
        if (origins.size() == later.size()) {
            addParts(partitions, origins, key);
        }
    }

    private static void addParts(Set<List<Integer>> partitions, List<Integer> fields, Key key) {
        var positions = fields.stream().map(KeyFields.list(key)::indexOf).toList();
        if (!positions.contains(-1) && Set.copyOf(positions).size() == positions.size()) {
            partitions.add(positions);
        }
    }

    private static List<Integer> at(Key key, List<Integer> parts) {
        return parts.stream().map(part -> key.fields()[part]).toList();
    }

    private static DataTransfer sorted(DataTransfer way, Key key) {
        boolean done = way.isForward() && way.from().properties().order().sorts(key);
        return done ? way : DataTransfer.of(way.from(), way.shipping(), new InputOrder.Sorted(key));
    }

    /** The order of a merge, as far as the key is passed on. */
    private LocalOrder keyOrder(Key first, Key second, boolean bothSides) {
        PactNode node = choices.node();
        var parts = new ArrayList<Key.Part>();
        for (int at = 0; at < first.size(); at++) {
            var a = node.promises().placeOf(0, first.fields()[at]);
            var b = node.promises().placeOf(1, second.fields()[at]);
            var place = bothSides && !a.equals(b) ? OptionalInt.empty() : a.isPresent() ? a : b;
            if (place.isEmpty()) {
                break;
            }
            parts.add(new Key.Part(place.getAsInt(), first.parts().get(at).order()));
        }
        return new LocalOrder(parts);
    }
}
