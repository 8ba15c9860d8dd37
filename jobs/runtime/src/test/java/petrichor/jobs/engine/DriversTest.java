package petrichor.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.jobs.engine.Rows.Row;
import petrichor.jobs.engine.TestGraph.In;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.RangeBounds;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Side;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.JoinCode;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * Compares every driver with a straightforward computation on random rows, once with sufficient
 * memory and once with so little that it spills.
 */
class DriversTest {
    private static final long LITTLE = 1 << 20;
    private static final long MUCH = 256 << 20;
    private static final Key KEY = Key.of(0);
    private static final RecordType PAIR =
            RecordType.of(Field.int64("key"), Field.int64("left"), Field.int64("right"));
    private static final JoinCode PAIRS =
            (left, right, out) ->
                    out.record()
                            .copy(0, left, 0)
                            .int64(1, left.int64(2))
                            .int64(2, right.int64(2))
                            .emit();

    @TempDir Path folder;

    private JobResult run(TestGraph graph, long memory) {
        EngineOptions options = new EngineOptions(memory, folder, Long.MAX_VALUE);
        JobResult result = new Engine(options).run(graph.graph());
        assertThat(folder).isEmptyDirectory();
        return result;
    }

    private static InputOrder sorted() {
        return new InputOrder.Sorted(KEY);
    }

    private static Shipping byHash() {
        return new Shipping.HashPartition(KEY);
    }

    @ParameterizedTest
    @ValueSource(longs = {LITTLE, MUCH})
    void aSortByRangesOrdersAllRows(long memory) {
        List<Row> rows = Rows.random(120_000, 50_000, Rows.SEED);
        Key all = Key.of(0, 1, 2);
        TestGraph graph = new TestGraph("sort");
        JobVertex sort =
                graph.add(
                        "sort",
                        new Operation.Relay(),
                        3,
                        List.of(
                                new In(
                                        graph.read(rows, 2),
                                        new Shipping.RangePartition(all, RangeBounds.sampled()),
                                        new InputOrder.Sorted(all))));
        Collected collected = graph.collect(sort);
        JobResult result = run(graph, memory);
        assertThat(collected.rows())
                .as("seed " + Rows.SEED)
                .isEqualTo(rows.stream().sorted(Rows.BY_ALL).toList());
        assertThat(result.spilledBytes() > 0).isEqualTo(memory == LITTLE);
        for (int i = 0; i < 3; i++) {
            assertThat(collected.part(i).size()).isBetween(20_000, 60_000);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {LITTLE, MUCH})
    void aReduceSeesEveryGroupOnceAndWhole(long memory) {
        List<Row> rows = Rows.random(60_000, 3_000, Rows.SEED);
        TestGraph graph = new TestGraph("reduce");
        RecordType sums = RecordType.of(Field.int64("key"), Field.int64("sum"), Field.int64("n"));
        JobVertex reduce =
                graph.add(
                        "reduce",
                        new Operation.SortedReduce(
                                KEY,
                                (group, out) -> {
                                    long sum = 0;
                                    long count = 0;
                                    for (RecordView record : group) {
                                        sum += record.int64(2);
                                        count++;
                                    }
                                    out.record()
                                            .copy(0, Objects.requireNonNull(group.key()), 0)
                                            .int64(1, sum)
                                            .int64(2, count)
                                            .emit();
                                },
                                sums),
                        2,
                        List.of(new In(graph.read(rows, 2), byHash(), sorted())));
        Collected collected = graph.collect(reduce);
        run(graph, memory);
        assertThat(collected.shown()).as("seed " + Rows.SEED).isEqualTo(sumsByHand(rows));
    }

    @ParameterizedTest
    @ValueSource(longs = {LITTLE, MUCH})
    void hashAggregatesEqualThoseByHand(long memory) {
        List<Row> rows = Rows.random(120_000, 30_000, Rows.SEED);
        Aggregation sums = Aggregation.by(List.of(0), Aggregate.sum(2), Aggregate.count());
        TestGraph graph = new TestGraph("aggregate");
        JobVertex whole =
                graph.add(
                        "whole",
                        new Operation.HashAggregate(sums, Aggregation.Step.WHOLE, Rows.TYPE),
                        2,
                        List.of(In.of(graph.read(rows, 2), byHash())));
        Collected inOneStep = graph.collect(whole);
        JobVertex combined = graph.read(rows, 2, new Step.Combine("combine", sums));
        JobVertex last =
                graph.add(
                        "final",
                        new Operation.HashAggregate(sums, Aggregation.Step.FINAL, Rows.TYPE),
                        2,
                        List.of(In.of(combined, byHash())));
        Collected inTwoSteps = graph.collect(last);
        JobVertex ordered =
                graph.add(
                        "sorted",
                        new Operation.SortedAggregate(sums, Aggregation.Step.WHOLE, Rows.TYPE),
                        2,
                        List.of(new In(graph.read(rows, 1), byHash(), sorted())));
        Collected bySorting = graph.collect(ordered);
        JobResult done = run(graph, memory);
        List<String> expected = sumsByHand(rows);
        assertThat(inOneStep.shown()).as("seed " + Rows.SEED).isEqualTo(expected);
        assertThat(inTwoSteps.shown()).as("seed " + Rows.SEED).isEqualTo(expected);
        assertThat(bySorting.shown()).as("seed " + Rows.SEED).isEqualTo(expected);
        assertThat(done.spilledBytes() > 0).isEqualTo(memory == LITTLE);
    }

    /** Longer texts do not fit in place of shorter ones. */
    @ParameterizedTest
    @ValueSource(longs = {LITTLE, MUCH})
    void minimumAndMaximumOfTextsEqualThoseByHand(long memory) {
        List<Row> rows = Rows.random(120_000, 20_000, Rows.SEED);
        Aggregation ends =
                Aggregation.by(List.of(0), Aggregate.min(1), Aggregate.count(), Aggregate.max(1));
        TestGraph graph = new TestGraph("ends");
        JobVertex whole =
                graph.add(
                        "whole",
                        new Operation.HashAggregate(ends, Aggregation.Step.WHOLE, Rows.TYPE),
                        2,
                        List.of(In.of(graph.read(rows, 2), byHash())));
        JobVertex last =
                graph.add(
                        "final",
                        new Operation.HashAggregate(ends, Aggregation.Step.FINAL, Rows.TYPE),
                        2,
                        List.of(
                                In.of(
                                        graph.read(rows, 2, new Step.Combine("combine", ends)),
                                        byHash())));
        JobVertex ordered =
                graph.add(
                        "sorted",
                        new Operation.SortedAggregate(ends, Aggregation.Step.WHOLE, Rows.TYPE),
                        2,
                        List.of(new In(graph.read(rows, 1), byHash(), sorted())));
        List<Collected> all =
                List.of(graph.collect(whole), graph.collect(last), graph.collect(ordered));
        JobResult done = run(graph, memory);
        Map<String, List<String>> texts =
                rows.stream()
                        .collect(
                                Collectors.groupingBy(
                                        row -> String.valueOf(row.key()),
                                        Collectors.mapping(Row::text, Collectors.toList())));
        List<String> expected =
                texts.entrySet().stream()
                        .map(
                                each ->
                                        "("
                                                + each.getKey()
                                                + ", "
                                                + Collections.min(each.getValue())
                                                + ", "
                                                + each.getValue().size()
                                                + ", "
                                                + Collections.max(each.getValue())
                                                + ")")
                        .sorted()
                        .toList();
        for (Collected collected : all) {
            assertThat(collected.shown()).as("seed " + Rows.SEED).isEqualTo(expected);
        }
        assertThat(done.spilledBytes() > 0).isEqualTo(memory == LITTLE);
    }

    @ParameterizedTest
    @ValueSource(longs = {LITTLE, MUCH})
    void aUserDefinedCombinerLosesNothing(long memory) {
        List<Row> rows = Rows.random(60_000, 3_000, Rows.SEED);
        TestGraph graph = new TestGraph("combine groups");
        JobVertex read =
                graph.read(
                        rows,
                        2,
                        new Step.CombineGroups(
                                "combine",
                                KEY,
                                KEY,
                                (group, out) -> {
                                    long sum = 0;
                                    for (RecordView record : group) {
                                        sum += record.int64(2);
                                    }
                                    out.record()
                                            .copy(Objects.requireNonNull(group.key()))
                                            .int64(2, sum)
                                            .emit();
                                }));
        Aggregation sum = Aggregation.by(List.of(0), Aggregate.sum(2));
        JobVertex last =
                graph.add(
                        "sum",
                        new Operation.HashAggregate(sum, Aggregation.Step.WHOLE, Rows.TYPE),
                        2,
                        List.of(In.of(read, byHash())));
        Collected collected = graph.collect(last);
        run(graph, memory);
        assertThat(collected.shown())
                .isEqualTo(
                        sumsByHand(rows).stream()
                                .map(s -> s.substring(0, s.lastIndexOf(',')) + ")")
                                .toList());
    }

    @ParameterizedTest
    @ValueSource(longs = {LITTLE, MUCH})
    void everyJoinGivesThePairsOfEqualKeys(long memory) {
        List<Row> lefts = Rows.random(60_000, 40_000, Rows.SEED);
        List<Row> rights = Rows.random(50_000, 40_000, Rows.SEED + 1);
        // Null equals null: with more of them, their pairs would dominate.
        lefts = withoutNulls(lefts, 5);
        rights = withoutNulls(rights, 7);
        List<String> expected = pairsByHand(lefts, rights);
        TestGraph graph = new TestGraph("joins");
        List<Collected> all = new ArrayList<>();
        all.add(
                join(
                        graph,
                        new Operation.MergeJoin(KEY, KEY, PAIRS, PAIR),
                        sorted(),
                        lefts,
                        rights));
        for (Side build : Side.values()) {
            all.add(
                    join(
                            graph,
                            new Operation.HashJoin(KEY, KEY, build, PAIRS, PAIR),
                            InputOrder.asTheyCome(),
                            lefts,
                            rights));
        }
        JobResult result = run(graph, memory);
        for (Collected collected : all) {
            assertThat(collected.shown()).as("seed " + Rows.SEED).isEqualTo(expected);
        }
        assertThat(result.spilledBytes() > 0).isEqualTo(memory == LITTLE);
    }

    @ParameterizedTest
    @ValueSource(longs = {LITTLE, MUCH})
    void aKeyLargerThanMemoryIsJoinedToo(long memory) {
        List<Row> lefts = new ArrayList<>();
        for (int i = 0; i < 40_000; i++) {
            lefts.add(new Row(1L, "l".repeat(50), i));
        }
        List<Row> rights = List.of(new Row(1L, "r", 1), new Row(2L, "r", 2), new Row(1L, "r", 3));
        List<String> expected = pairsByHand(lefts, rights);
        TestGraph graph = new TestGraph("skewed joins");
        List<Collected> all =
                List.of(
                        join(
                                graph,
                                new Operation.HashJoin(KEY, KEY, Side.FIRST, PAIRS, PAIR),
                                InputOrder.asTheyCome(),
                                lefts,
                                rights),
                        join(
                                graph,
                                new Operation.MergeJoin(KEY, KEY, PAIRS, PAIR),
                                sorted(),
                                lefts,
                                rights));
        run(graph, memory);
        for (Collected collected : all) {
            assertThat(collected.shown()).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {LITTLE, MUCH})
    void aCrossGivesEveryPairOnce(long memory) {
        List<Row> lefts = Rows.random(300, 40, Rows.SEED);
        List<Row> rights = Rows.random(20_000, 40_000, Rows.SEED + 1);
        RecordType type = RecordType.of(Field.int64("sum"));
        JoinCode product =
                (left, right, out) ->
                        out.record().int64(0, left.int64(2) * 1000 + right.int64(2)).emit();
        Aggregation metrics = Aggregation.by(List.of(), Aggregate.count(), Aggregate.sum(0));
        TestGraph graph = new TestGraph("cross");
        List<Collected> all = new ArrayList<>();
        for (Side outer : Side.values()) {
            for (boolean blocked : new boolean[] {false, true}) {
                // The large side is outer: as the inner side, it would be read for each record.
                if (!blocked && outer == Side.FIRST && memory == LITTLE) {
                    continue;
                }
                JobVertex cross =
                        graph.add(
                                "cross",
                                new Operation.Cross(outer, blocked, product, type),
                                4,
                                List.of(
                                        In.of(
                                                graph.read(lefts, 2),
                                                new Shipping.FragmentAndReplicate(
                                                        2, 2, Side.FIRST)),
                                        In.of(
                                                graph.read(rights, 2),
                                                new Shipping.FragmentAndReplicate(
                                                        2, 2, Side.SECOND))));
                JobVertex sum =
                        graph.add(
                                "sum",
                                new Operation.HashAggregate(metrics, Aggregation.Step.WHOLE, type),
                                1,
                                List.of(In.of(cross, new Shipping.Rebalance())));
                all.add(graph.collect(sum));
            }
        }
        run(graph, memory);
        long sum = 0;
        for (Row left : lefts) {
            for (Row right : rights) {
                sum += left.value() * 1000 + right.value();
            }
        }
        for (Collected collected : all) {
            assertThat(collected.shown())
                    .containsExactly("(" + (long) lefts.size() * rights.size() + ", " + sum + ")");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {LITTLE, MUCH})
    void aCoGroupSeesTheKeysOfBothSides(long memory) {
        List<Row> lefts = Rows.random(30_000, 20_000, Rows.SEED);
        List<Row> rights = Rows.random(30_000, 20_000, Rows.SEED + 1);
        RecordType type = RecordType.of(Field.int64("left"), Field.int64("right"));
        TestGraph graph = new TestGraph("co-group");
        JobVertex coGroup =
                graph.add(
                        "co-group",
                        new Operation.CoGroup(
                                KEY,
                                KEY,
                                (left, right, out) -> {
                                    long l = 0;
                                    for (RecordView record : left) {
                                        l += record.int64(2) + 1;
                                    }
                                    long r = 0;
                                    for (RecordView record : right) {
                                        r += record.int64(2) + 1;
                                    }
                                    out.record().int64(0, l).int64(1, r).emit();
                                },
                                type),
                        2,
                        List.of(
                                new In(graph.read(lefts, 2), byHash(), sorted()),
                                new In(graph.read(rights, 2), byHash(), sorted())));
        Collected collected = graph.collect(coGroup);
        run(graph, memory);
        Map<String, long[]> expected = new TreeMap<>();
        for (Row row : lefts) {
            expected.computeIfAbsent("" + row.key(), _ -> new long[2])[0] += row.value() + 1;
        }
        for (Row row : rights) {
            expected.computeIfAbsent("" + row.key(), _ -> new long[2])[1] += row.value() + 1;
        }
        assertThat(collected.shown())
                .as("seed " + Rows.SEED)
                .isEqualTo(
                        expected.values().stream()
                                .map(v -> "(" + v[0] + ", " + v[1] + ")")
                                .sorted()
                                .toList());
    }

    private static Collected join(
            TestGraph graph, Operation join, InputOrder order, List<Row> lefts, List<Row> rights) {
        return graph.collect(
                graph.add(
                        "join",
                        join,
                        2,
                        List.of(
                                new In(graph.read(lefts, 2), byHash(), order),
                                new In(graph.read(rights, 1), byHash(), order))));
    }

    private static List<Row> withoutNulls(List<Row> rows, int kept) {
        List<Row> some = new ArrayList<>();
        int nulls = 0;
        for (Row row : rows) {
            if (row.key() != null || nulls++ < kept) {
                some.add(row);
            }
        }
        return some;
    }

    private static List<String> pairsByHand(List<Row> lefts, List<Row> rights) {
        Map<String, List<Row>> byKey =
                rights.stream().collect(Collectors.groupingBy(r -> "" + r.key()));
        List<String> pairs = new ArrayList<>();
        for (Row left : lefts) {
            for (Row right : byKey.getOrDefault("" + left.key(), List.of())) {
                pairs.add("(" + left.key() + ", " + left.value() + ", " + right.value() + ")");
            }
        }
        pairs.sort(Comparator.naturalOrder());
        return pairs;
    }

    private static List<String> sumsByHand(List<Row> rows) {
        Map<String, long[]> sums = new TreeMap<>();
        for (Row row : rows) {
            long[] sum = sums.computeIfAbsent("" + row.key(), _ -> new long[2]);
            sum[0] += row.value();
            sum[1]++;
        }
        return sums.entrySet().stream()
                .map(e -> "(" + e.getKey() + ", " + e.getValue()[0] + ", " + e.getValue()[1] + ")")
                .sorted()
                .toList();
    }
}
