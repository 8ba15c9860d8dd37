package petrichor.jobs.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import petrichor.jobs.jobgraph.Side;
import petrichor.jobs.jobgraph.SourceEstimate;
import petrichor.jobs.pact.DataSet;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.JoinCode;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.Order;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.ReduceCode;

/**
 * Plans with a known best execution, each for one capability of a compiler. The plans compiled by
 * Petrichor are in {@code catalogue.txt}, those by Flink in the oracle's module.
 */
public final class PlanCatalog {
    static final RecordType PAIR = RecordType.of(Field.int64("a"), Field.int64("b"));
    static final RecordType TRIPLE =
            RecordType.of(Field.int64("a"), Field.int64("b"), Field.int64("c"));

    private static final MapCode SAME = (in, out) -> out.emit(in);

    /** (first.a, first.b, second.b). */
    private static final JoinCode JOIN =
            (left, right, out) ->
                    out.record().copy(0, left, 0).copy(1, left, 1).copy(2, right, 1).emit();

    /** The key and its number of records. */
    private static final ReduceCode COUNT =
            (group, out) -> {
                long count = 0;
                long key = 0;
                for (RecordView record : group) {
                    key = record.int64(0);
                    count++;
                }
                out.record().int64(0, key).int64(1, count).emit();
            };

    private final Map<String, Consumer<Plan>> plans = new LinkedHashMap<>();

    public PlanCatalog() {
        single();
        joins();
        reuse();
        rewritten();
        shared();
    }

    public List<String> names() {
        return List.copyOf(plans.keySet());
    }

    /** A new plan, with parallelism four. */
    public Plan plan(String name) {
        var plan = Plan.named(name).parallelism(4);
        var writer = plans.get(name);
        if (writer == null) {
            throw new IllegalArgumentException("the catalogue has no plan " + name);
        }
        writer.accept(plan);
        return plan;
    }

    static DataSet source(Plan plan, String name, RecordType type, double claimed) {
        // Few actual records, so that every plan can also be run; any declared number.
        var records =
                Rows.of(
                        type,
                        36,
                        (builder, i) -> {
                            for (int field = 0; field < type.size(); field++) {
                                builder.int64(
                                        field,
                                        (i * (7L + field * 4L) + name.length()) % (9 + 3 * field));
                            }
                        });
        var set =
                plan.read(
                        new Rows.ListSource(
                                name, type, new ArrayList<>(records), SourceEstimate.UNKNOWN));
        return claimed > 0 ? set.records(claimed) : set;
    }

    private static void write(DataSet set, String name) {
        set.write(new Rows.ListSink(name));
    }

    private void single() {
        plans.put(
                "map", plan -> write(source(plan, "in", PAIR, 1e6).map("same", PAIR, SAME), "out"));
        plans.put(
                "map in fewer subtasks",
                plan ->
                        write(
                                source(plan, "in", PAIR, 1e6)
                                        .map("same", PAIR, SAME)
                                        .parallelism(2),
                                "out"));
        plans.put(
                "reduce",
                plan ->
                        write(
                                source(plan, "in", PAIR, 1e6)
                                        .groupBy("a")
                                        .reduce("count", PAIR, COUNT),
                                "out"));
        plans.put(
                "reduce with combiner",
                plan ->
                        write(
                                source(plan, "in", PAIR, 1e6)
                                        .distinct(100, "a")
                                        .groupBy("a")
                                        .combinedBy(
                                                (group, out) -> {
                                                    for (RecordView record : group) {
                                                        out.emit(record);
                                                    }
                                                })
                                        .reduce("count", PAIR, COUNT),
                                "out"));
        plans.put(
                "aggregate of few keys is combined",
                plan ->
                        write(
                                source(plan, "in", PAIR, 1e6)
                                        .distinct(100, "a")
                                        .groupBy("a")
                                        .aggregate(Aggregate.sum(1), Aggregate.average(1)),
                                "out"));
        plans.put(
                "aggregate of unique keys is neither moved nor combined",
                plan ->
                        write(
                                source(plan, "in", PAIR, 1e6)
                                        .map("numbered", PAIR, numbering())
                                        .uniqueKey("a")
                                        .groupBy("a")
                                        .aggregate(Aggregate.sum(1)),
                                "out"));
        plans.put(
                "aggregate of almost unique keys is not combined",
                plan ->
                        write(
                                source(plan, "in", PAIR, 1e6)
                                        .distinct(999_999, "a")
                                        .groupBy("a")
                                        .aggregate(Aggregate.sum(1)),
                                "out"));
        plans.put(
                "aggregate of everything",
                plan ->
                        write(
                                source(plan, "in", PAIR, 1e6)
                                        .aggregate(Aggregate.count(), Aggregate.max(1)),
                                "out"));
        plans.put(
                "global sort",
                plan ->
                        write(
                                source(plan, "in", PAIR, 1e6)
                                        .sortBy(Key.of(1).then(0, Order.DESCENDING)),
                                "out"));
        plans.put(
                "the smallest few are not a sort of everything",
                plan -> write(source(plan, "in", PAIR, 1e6).sortBy(Key.of(0, 1)).first(5), "out"));
        plans.put("any few", plan -> write(source(plan, "in", PAIR, 1e6).first(0), "out"));
    }

    /** Emits each value of the first field once. */
    private static MapCode numbering() {
        return (in, out) -> {
            // The test data is (7 i + 2) % 9, so that one record in nine has a unique value.
            if (in.int64(1) == (in.int64(0) * 5 + 1) % 12) {
                out.emit(in);
            }
        };
    }

    private void joins() {
        plans.put(
                "small joins big: broadcast",
                plan -> {
                    var small = source(plan, "small", PAIR, 1e3);
                    var big = source(plan, "big", PAIR, 1e7);
                    write(small.match(big, "a", "a").with("join", TRIPLE, JOIN), "out");
                });
        plans.put(
                "big joins small: broadcast",
                plan -> {
                    var small = source(plan, "small", PAIR, 1e3);
                    var big = source(plan, "big", PAIR, 1e7);
                    write(big.match(small, "a", "a").with("join", TRIPLE, JOIN), "out");
                });
        plans.put(
                "equals join: partition both",
                plan -> {
                    var one = source(plan, "one", PAIR, 1e6);
                    var other = source(plan, "other", PAIR, 1e6);
                    write(one.match(other, "a", "a").with("join", TRIPLE, JOIN), "out");
                });
        plans.put(
                "unknown join: partition both",
                plan -> {
                    var one = source(plan, "one", PAIR, 0);
                    var other = source(plan, "other", PAIR, 0);
                    write(one.match(other, "a", "a").with("join", TRIPLE, JOIN), "out");
                });
        plans.put(
                "cross of small and big",
                plan -> {
                    var small = source(plan, "small", PAIR, 10);
                    var big = source(plan, "big", PAIR, 1e5);
                    write(small.cross(big, "cross", TRIPLE, JOIN), "out");
                });
        plans.put(
                "cross of equals: a grid",
                plan -> {
                    var one = source(plan, "one", PAIR, 1e4);
                    var other = source(plan, "other", PAIR, 1e4);
                    write(one.cross(other, "cross", TRIPLE, JOIN), "out");
                });
        plans.put(
                "co-group",
                plan -> {
                    var one = source(plan, "one", PAIR, 1e6);
                    var other = source(plan, "other", PAIR, 1e6);
                    write(
                            one.match(other, Key.of(0), Key.of(1))
                                    .groups(
                                            "groups",
                                            PAIR,
                                            (left, right, out) -> {
                                                long sum = 0;
                                                for (RecordView record : left) {
                                                    sum += record.int64(1);
                                                }
                                                for (RecordView record : right) {
                                                    sum -= record.int64(0);
                                                }
                                                out.record().int64(0, sum).int64(1, 1).emit();
                                            }),
                            "out");
                });
    }

    private void reuse() {
        plans.put(
                "same-key map between match and reduce: no second shuffle",
                plan -> {
                    var one = source(plan, "one", PAIR, 1e6);
                    var other = source(plan, "other", PAIR, 1e6);
                    var join = one.match(other, "a", "a").with("join", TRIPLE, JOIN).sameKey();
                    var map =
                            join.map(
                                            "shorten",
                                            PAIR,
                                            (in, out) ->
                                                    out.record()
                                                            .copy(0, in, 0)
                                                            .copy(1, in, 2)
                                                            .emit())
                                    .constant("a");
                    write(map.groupBy("a").reduce("count", PAIR, COUNT), "out");
                });
        plans.put(
                "map without a promise between match and reduce: shuffles again",
                plan -> {
                    var one = source(plan, "one", PAIR, 1e6);
                    var other = source(plan, "other", PAIR, 1e6);
                    var join = one.match(other, "a", "a").with("join", TRIPLE, JOIN).sameKey();
                    var map =
                            join.map(
                                    "shorten",
                                    PAIR,
                                    (in, out) -> out.record().copy(0, in, 0).copy(1, in, 2).emit());
                    write(map.groupBy("a").reduce("count", PAIR, COUNT), "out");
                });
        plans.put(
                "super-key: partitioned by part of the next key",
                plan -> {
                    var first =
                            source(plan, "in", TRIPLE, 1e6)
                                    .groupBy("a")
                                    .reduce(
                                            "each",
                                            TRIPLE,
                                            (group, out) -> group.forEach(out::emit))
                                    .superKey()
                                    .constant("b");
                    write(first.groupBy("a", "b").reduce("count", PAIR, COUNT), "out");
                });
        plans.put(
                "unique-key before reduce: no sort, no shuffle, no state",
                plan -> {
                    var numbered =
                            source(plan, "in", PAIR, 1e6)
                                    .map("numbered", PAIR, numbering())
                                    .uniqueKey("a");
                    write(numbered.groupBy("a").reduce("count", PAIR, COUNT), "out");
                });
        plans.put(
                "reduce after reduce on the same key",
                plan -> {
                    var first =
                            source(plan, "in", PAIR, 1e6)
                                    .groupBy("a")
                                    .reduce("count", PAIR, COUNT)
                                    .sameKey()
                                    .emitsAtMostOne();
                    write(first.groupBy("a").reduce("again", PAIR, COUNT), "out");
                });
        plans.put(
                "aggregate by two, then by one of them",
                plan -> {
                    var first =
                            source(plan, "in", TRIPLE, 1e6)
                                    .distinct(5e5, "a", "b")
                                    .distinct(1e5, "a")
                                    .groupBy("a", "b")
                                    .aggregate(Aggregate.sum(2));
                    write(first.groupBy("a").aggregate(Aggregate.max(2)), "out");
                });
        plans.put(
                "join with what is partitioned already",
                plan -> {
                    var counts =
                            source(plan, "in", PAIR, 1e7).groupBy("a").aggregate(Aggregate.sum(1));
                    var other = source(plan, "other", PAIR, 9e5);
                    write(counts.match(other, "a", "a").with("join", TRIPLE, JOIN), "out");
                });
        plans.put(
                "two joins on the same key",
                plan -> {
                    var one = source(plan, "one", PAIR, 1e6);
                    var other = source(plan, "other", PAIR, 1e6);
                    var third = source(plan, "third", PAIR, 1e6);
                    var join = one.match(other, "a", "a").with("join", TRIPLE, JOIN).sameKey();
                    write(join.match(third, "a", "a").with("second join", TRIPLE, JOIN), "out");
                });
    }

    private void rewritten() {
        plans.put(
                "filter moves below a match",
                plan -> {
                    var one = source(plan, "one", PAIR, 1e6);
                    var other = source(plan, "other", PAIR, 1e6);
                    var join =
                            one.match(other, "a", "a")
                                    .with("join", TRIPLE, JOIN)
                                    .constant(Side.FIRST, "a", "b");
                    write(
                            join.filter("few", record -> record.int64(1) < 3, "b")
                                    .recordsPerCall(0.01),
                            "out");
                });
        plans.put(
                "filter that may read everything stays",
                plan -> {
                    var one = source(plan, "one", PAIR, 1e6);
                    var other = source(plan, "other", PAIR, 1e6);
                    var join =
                            one.match(other, "a", "a")
                                    .with("join", TRIPLE, JOIN)
                                    .constant(Side.FIRST, "a", "b");
                    write(
                            join.filter("few", record -> record.int64(1) < 3).recordsPerCall(0.01),
                            "out");
                });
        plans.put(
                "filter on the key moves below an aggregate and a union",
                plan -> {
                    var one = source(plan, "one", PAIR, 1e6);
                    var other = source(plan, "other", PAIR, 1e6);
                    write(
                            one.union(other)
                                    .groupBy("a")
                                    .aggregate(Aggregate.count())
                                    .filter("few", record -> record.int64(0) > 4, "a"),
                            "out");
                });
    }

    private void shared() {
        plans.put(
                "two sinks share what they read",
                plan -> {
                    var counts =
                            source(plan, "in", PAIR, 1e6).groupBy("a").aggregate(Aggregate.sum(1));
                    write(counts, "all");
                    write(counts.filter("few", record -> record.int64(1) > 20), "some");
                });
        plans.put(
                "a data set joined with itself does not block",
                plan -> {
                    var in = source(plan, "in", PAIR, 1e6);
                    write(in.match(in, "a", "b").with("join", TRIPLE, JOIN), "out");
                });
        plans.put(
                "figures joined back with what they were taken of",
                plan -> {
                    var in = source(plan, "in", PAIR, 1e6);
                    var counts = in.groupBy("a").aggregate(Aggregate.sum(1));
                    write(in.match(counts, "a", "a").with("join", TRIPLE, JOIN), "out");
                });
        plans.put(
                "two joins that wait for each other do not block",
                plan -> {
                    var one = source(plan, "one", PAIR, 1e6);
                    var other = source(plan, "other", PAIR, 1e6).map("same", PAIR, SAME);
                    write(
                            one.match(other, Key.of(0, 1), Key.of(0, 1)).with("join", TRIPLE, JOIN),
                            "out");
                    write(
                            other.match(one, Key.of(1, 0), Key.of(1, 0))
                                    .with("reverse", TRIPLE, JOIN),
                            "reversed");
                });
        plans.put(
                "the first of a union are counted once",
                plan -> {
                    var one =
                            source(plan.parallelism(1), "one", PAIR, 1e6)
                                    .map(
                                            "one",
                                            PAIR,
                                            (in, out) ->
                                                    out.record().int64(0, 1).int64(1, 1).emit());
                    var other =
                            source(plan, "other", PAIR, 1e6)
                                    .map(
                                            "other",
                                            PAIR,
                                            (in, out) ->
                                                    out.record().int64(0, 1).int64(1, 1).emit());
                    write(one.union(other).first(3), "out");
                });
        plans.put(
                "union is no task",
                plan -> {
                    var one = source(plan, "one", PAIR, 1e6).map("same", PAIR, SAME);
                    var other = source(plan, "other", PAIR, 1e6);
                    write(one.union(other, one).groupBy("a").reduce("count", PAIR, COUNT), "out");
                });
    }
}
