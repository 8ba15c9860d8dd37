package petrichor.jobs.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import petrichor.jobs.jobgraph.Side;
import petrichor.jobs.pact.DataSet;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Group;
import petrichor.jobs.records.JoinCode;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * A random plan: every contract over small data, with valid promises and wrong hints. All records
 * have one type, so that contracts can follow each other in any order. Two calls with the same seed
 * write the same plan.
 */
public final class RandomPlan {
    static final RecordType TYPE =
            RecordType.of(Field.int64("k"), Field.text("t"), Field.int64("v"));

    private static final int SOURCES_MAX = 3;
    private static final int CONTRACTS_MAX = 8;
    private static final int RECORDS_MAX = 60;
    private static final int RECORDS_AFTER_CROSS_MAX = 3_000;

    private final Random random;
    private final Plan plan;
    private final List<DataSet> sets = new ArrayList<>();

    /** Maximum size of a data set, so that products stay small. */
    private final List<Integer> bounds = new ArrayList<>();

    private RandomPlan(long seed) {
        this.random = new Random(seed);
        this.plan = Plan.named("random " + seed).parallelism(1 + random.nextInt(4));
    }

    public static Plan of(long seed) {
        var writing = new RandomPlan(seed);
        writing.write();
        return writing.plan;
    }

    private void write() {
        int sources = 1 + random.nextInt(SOURCES_MAX);
        for (int i = 0; i < sources; i++) {
            source(i);
        }
        int contracts = 1 + random.nextInt(CONTRACTS_MAX);
        for (int i = 0; i < contracts; i++) {
            contract(i);
        }
        // Every unused data set is written.
        int sinks = 0;
        for (var set : List.copyOf(sets)) {
            boolean read =
                    plan.nodes().stream().anyMatch(node -> node.inputs().contains(set.node()));
            if (!read) {
                set.write(new Rows.ListSink("sink " + sinks++));
            }
        }
    }

    private void source(int number) {
        int count = random.nextInt(RECORDS_MAX);
        var records =
                Rows.of(
                        TYPE,
                        count,
                        (builder, _) -> {
                            if (random.nextInt(20) > 0) {
                                builder.int64(0, random.nextInt(8));
                            }
                            if (random.nextInt(20) > 0) {
                                builder.text(1, "t" + random.nextInt(5));
                            }
                            builder.int64(2, random.nextInt(100));
                        });
        var set =
                plan.read(new Rows.ListSource("source " + number, TYPE, new ArrayList<>(records)));
        add(hinted(set), count);
    }

    private void add(DataSet set, int bound) {
        sets.add(set);
        bounds.add(bound);
    }

    /** Wrong size hints lead to other plans, and must not change results. */
    private DataSet hinted(DataSet set) {
        return random.nextBoolean() ? set.records(Math.pow(10, random.nextInt(9))) : set;
    }

    private void contract(int number) {
        int pick = random.nextInt(sets.size());
        var set = sets.get(pick);
        int bound = bounds.get(pick);
        int other = random.nextInt(sets.size());
        switch (random.nextInt(12)) {
            case 0 ->
                    add(
                            hinted(
                                    set.map("twice " + number, TYPE, RandomPlan::twice)
                                            .constant("k", "t")),
                            2 * bound);
            case 1 ->
                    add(
                            hinted(
                                    set.map("shift " + number, TYPE, RandomPlan::shift)
                                            .constant("t", "v")
                                            .emitsAtMostOne()),
                            bound);
            case 2 ->
                    add(
                            hinted(
                                    set.filter(
                                            "by k " + number,
                                            record -> record.int64(0) % 3 != 1,
                                            "k")),
                            bound);
            case 3 ->
                    add(
                            hinted(
                                    set.filter(
                                            "by v " + number,
                                            record -> record.int64(2) % 2 == 0,
                                            "v")),
                            bound);
            case 4 -> add(reduced(set, number), bound);
            case 5 -> add(aggregated(set, number), bound);
            case 6, 7 -> pair(pick, other, number);
            case 8 -> cross(pick, other, number);
            case 9 -> add(set.union(sets.get(other)), bound + bounds.get(other));
            case 10 -> add(set.sortBy(Key.of(2, 0, 1)), bound);
            default -> add(set.sortBy(Key.of(2, 0, 1)).first(random.nextInt(20)), bound);
        }
    }

    private DataSet reduced(DataSet set, int number) {
        var grouping = random.nextBoolean() ? set.groupBy("k") : set.groupBy("t", "k");
        if (random.nextBoolean()) {
            grouping = grouping.combinedBy(RandomPlan::sum);
        }
        var reduced = grouping.reduce("sum " + number, TYPE, RandomPlan::sum);
        if (random.nextBoolean()) {
            // The text is part of one key only: then it belongs to some record.
            reduced = reduced.constant("k").emitsAtMostOne();
        }
        return hinted(reduced);
    }

    /** Converts back to the common type, with the known properties of the key. */
    private DataSet aggregated(DataSet set, int number) {
        return switch (random.nextInt(3)) {
            case 0 ->
                    set.groupBy("k", "t")
                            .aggregate(Aggregate.sum(2))
                            .map(
                                    "typed " + number,
                                    TYPE,
                                    (in, out) ->
                                            out.record()
                                                    .copy(0, in, 0)
                                                    .copy(1, in, 1)
                                                    .copy(2, in, 2)
                                                    .emit())
                            .constant("k", "t")
                            .moved(Side.FIRST, 2, 2)
                            .emitsAtMostOne();
            case 1 ->
                    set.groupBy("k")
                            .aggregate(Aggregate.count(), Aggregate.max(2))
                            .map(
                                    "typed " + number,
                                    TYPE,
                                    (in, out) ->
                                            out.record()
                                                    .copy(0, in, 0)
                                                    .text(1, "t1")
                                                    .copy(2, in, 1)
                                                    .emit())
                            .constant("k")
                            .emitsAtMostOne();
            default ->
                    set.aggregate(Aggregate.count(), Aggregate.min(2))
                            .map(
                                    "typed " + number,
                                    TYPE,
                                    (in, out) ->
                                            out.record()
                                                    .copy(0, in, 1)
                                                    .text(1, "all")
                                                    .copy(2, in, 0)
                                                    .emit())
                            .emitsAtMostOne();
        };
    }

    private void pair(int one, int other, int number) {
        var first = sets.get(one);
        var second = sets.get(other);
        boolean both = random.nextBoolean();
        var pairing =
                both
                        ? first.match(second, Key.of(0, 1), Key.of(0, 1))
                        : first.match(second, Key.of(0), Key.of(0));
        long product = (long) bounds.get(one) * bounds.get(other);
        if (random.nextInt(3) == 0 || product > RECORDS_AFTER_CROSS_MAX) {
            var groups = pairing.groups("groups " + number, TYPE, RandomPlan::difference);
            add(
                    hinted(
                            groups.constant(Side.FIRST, "k")
                                    .constant(Side.SECOND, "k")
                                    .emitsAtMostOne()),
                    bounds.get(one) + bounds.get(other));
            return;
        }
        JoinCode code =
                (left, right, out) ->
                        out.record()
                                .copy(0, left, 0)
                                .copy(1, right, 1)
                                .int64(2, left.int64(2) + right.int64(2))
                                .emit();
        var joined =
                pairing.with("join " + number, TYPE, code)
                        .constant(Side.FIRST, "k")
                        .constant(Side.SECOND, "t")
                        .emitsAtMostOne();
        add(hinted(joined), (int) product);
    }

    private void cross(int one, int other, int number) {
        long product = (long) bounds.get(one) * bounds.get(other);
        if (product > RECORDS_AFTER_CROSS_MAX) {
            return;
        }
        JoinCode code =
                (left, right, out) ->
                        out.record()
                                .copy(0, left, 0)
                                .copy(1, left, 1)
                                .int64(2, left.int64(2) - right.int64(2))
                                .emit();
        var crossed =
                sets.get(one)
                        .cross(sets.get(other), "cross " + number, TYPE, code)
                        .constant("k", "t");
        add(hinted(crossed), (int) product);
    }

    private static void twice(RecordView in, Out out) {
        out.emit(in);
        out.record().copy(in).int64(2, in.int64(2) + 1).emit();
    }

    private static void shift(RecordView in, Out out) {
        if (in.int64(2) % 7 != 0) {
            out.record().copy(in).int64(0, in.int64(0) + 1).emit();
        }
    }

    /** The key, the sum, and the smallest text, for any order of the group. */
    private static void sum(Group group, Out out) {
        long sum = 0;
        RecordView least = null;
        for (var record : group) {
            sum += record.int64(2);
            if (least == null || record.text(1).compareTo(least.text(1)) < 0) {
                least = record.copy();
            }
        }
        if (least != null) {
            out.record().copy(least).int64(2, sum).emit();
        }
    }

    /** The key of either side, and the difference of the sums. */
    private static void difference(Group left, Group right, Out out) {
        var key = left.key() == null ? right.key() : left.key();
        if (key == null) {
            return;
        }
        // The view is valid as long as its group: the sums are taken first from a copy's point of
        // view.
        var kept = key.copy();
        long sum = 0;
        for (var record : left) {
            sum += record.int64(2);
        }
        for (var record : right) {
            sum -= record.int64(2);
        }
        out.record().copy(0, kept, 0).text(1, "d").int64(2, sum).emit();
    }
}
