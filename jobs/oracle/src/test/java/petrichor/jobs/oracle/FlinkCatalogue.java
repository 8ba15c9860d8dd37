package petrichor.jobs.oracle;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.api.common.functions.CoGroupFunction;
import org.apache.flink.api.common.functions.CrossFunction;
import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.api.common.functions.GroupCombineFunction;
import org.apache.flink.api.common.functions.GroupReduceFunction;
import org.apache.flink.api.common.functions.JoinFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.operators.Order;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.DataSet;
import org.apache.flink.api.java.ExecutionEnvironment;
import org.apache.flink.api.java.aggregation.Aggregations;
import org.apache.flink.api.java.io.DiscardingOutputFormat;
import org.apache.flink.api.java.operators.SingleInputUdfOperator;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.util.Collector;

/** The catalogue's plans in Flink's API, where it can express them. */
@SuppressWarnings(
        "deprecation") // The DataSet API is deprecated; that is why its optimizer is pinned here.
final class FlinkCatalogue {
    private static final double PAIR_BYTES = 24;

    private final Map<String, Consumer<ExecutionEnvironment>> plans = new LinkedHashMap<>();

    FlinkCatalogue() {
        single();
        joins();
        reuse();
    }

    List<String> names() {
        return List.copyOf(plans.keySet());
    }

    /** Flink's execution plan, as its JSON. */
    String planJson(String name) throws Exception {
        var environment = ExecutionEnvironment.createLocalEnvironment(4);
        var writer = plans.get(name);
        if (writer == null) {
            throw new IllegalArgumentException("no plan " + name);
        }
        writer.accept(environment);
        return environment.getExecutionPlan();
    }

    private static DataSet<Tuple2<Long, Long>> pairs(
            ExecutionEnvironment environment, double records) {
        return environment.createInput(
                new SizedInput<>((long) records, (long) (records * PAIR_BYTES)),
                TypeInformation.of(new TypeHint<Tuple2<Long, Long>>() {}));
    }

    private static void write(DataSet<?> set) {
        discard(set);
    }

    private static <T> void discard(DataSet<T> set) {
        set.output(new DiscardingOutputFormat<>());
    }

    static final class Same implements MapFunction<Tuple2<Long, Long>, Tuple2<Long, Long>> {
        private static final long serialVersionUID = 1L;

        @Override
        public Tuple2<Long, Long> map(Tuple2<Long, Long> in) {
            return in;
        }
    }

    static final class Shorten
            implements MapFunction<Tuple3<Long, Long, Long>, Tuple2<Long, Long>> {
        private static final long serialVersionUID = 1L;

        @Override
        public Tuple2<Long, Long> map(Tuple3<Long, Long, Long> in) {
            return Tuple2.of(in.f0, in.f2);
        }
    }

    static final class Keep implements FilterFunction<Tuple3<Long, Long, Long>> {
        private static final long serialVersionUID = 1L;

        @Override
        public boolean filter(Tuple3<Long, Long, Long> in) {
            return in.f1 < 3;
        }
    }

    static final class Count
            implements GroupReduceFunction<Tuple2<Long, Long>, Tuple2<Long, Long>> {
        private static final long serialVersionUID = 1L;

        @Override
        public void reduce(Iterable<Tuple2<Long, Long>> group, Collector<Tuple2<Long, Long>> out) {
            group.forEach(out::collect);
        }
    }

    static final class CombinedCount
            implements GroupReduceFunction<Tuple2<Long, Long>, Tuple2<Long, Long>>,
                    GroupCombineFunction<Tuple2<Long, Long>, Tuple2<Long, Long>> {
        private static final long serialVersionUID = 1L;

        @Override
        public void reduce(Iterable<Tuple2<Long, Long>> group, Collector<Tuple2<Long, Long>> out) {
            group.forEach(out::collect);
        }

        @Override
        public void combine(Iterable<Tuple2<Long, Long>> group, Collector<Tuple2<Long, Long>> out) {
            group.forEach(out::collect);
        }
    }

    static final class Join
            implements JoinFunction<
                            Tuple2<Long, Long>, Tuple2<Long, Long>, Tuple3<Long, Long, Long>>,
                    CrossFunction<
                            Tuple2<Long, Long>, Tuple2<Long, Long>, Tuple3<Long, Long, Long>> {
        private static final long serialVersionUID = 1L;

        @Override
        public Tuple3<Long, Long, Long> join(Tuple2<Long, Long> a, Tuple2<Long, Long> b) {
            return Tuple3.of(a.f0, a.f1, b.f1);
        }

        @Override
        public Tuple3<Long, Long, Long> cross(Tuple2<Long, Long> a, Tuple2<Long, Long> b) {
            return join(a, b);
        }
    }

    static final class SecondJoin
            implements JoinFunction<
                    Tuple3<Long, Long, Long>, Tuple2<Long, Long>, Tuple3<Long, Long, Long>> {
        private static final long serialVersionUID = 1L;

        @Override
        public Tuple3<Long, Long, Long> join(Tuple3<Long, Long, Long> a, Tuple2<Long, Long> b) {
            return Tuple3.of(a.f0, a.f1, b.f1);
        }
    }

    static final class Groups
            implements CoGroupFunction<Tuple2<Long, Long>, Tuple2<Long, Long>, Tuple2<Long, Long>> {
        private static final long serialVersionUID = 1L;

        @Override
        public void coGroup(
                Iterable<Tuple2<Long, Long>> first,
                Iterable<Tuple2<Long, Long>> second,
                Collector<Tuple2<Long, Long>> out) {
            first.forEach(out::collect);
        }
    }

    private void single() {
        plans.put("map", env -> write(pairs(env, 1e6).map(new Same())));
        plans.put("reduce", env -> write(pairs(env, 1e6).groupBy(0).reduceGroup(new Count())));
        plans.put(
                "reduce with combiner",
                env -> write(pairs(env, 1e6).groupBy(0).reduceGroup(new CombinedCount())));
        plans.put(
                "aggregate of few keys is combined",
                env -> write(pairs(env, 1e6).groupBy(0).aggregate(Aggregations.SUM, 1)));
        plans.put(
                "aggregate of almost unique keys is not combined",
                env -> write(pairs(env, 1e6).groupBy(0).aggregate(Aggregations.SUM, 1)));
        plans.put(
                "aggregate of everything",
                env -> write(pairs(env, 1e6).aggregate(Aggregations.MAX, 1)));
        plans.put(
                "global sort",
                env ->
                        write(
                                pairs(env, 1e6)
                                        .partitionByRange(1, 0)
                                        .sortPartition(1, Order.ASCENDING)
                                        .sortPartition(0, Order.DESCENDING)));
    }

    private void joins() {
        plans.put(
                "small joins big: broadcast", env -> write(join(pairs(env, 1e3), pairs(env, 1e7))));
        plans.put(
                "big joins small: broadcast", env -> write(join(pairs(env, 1e7), pairs(env, 1e3))));
        plans.put(
                "equals join: partition both",
                env -> write(join(pairs(env, 1e6), pairs(env, 1e6))));
        plans.put(
                "cross of small and big",
                env -> write(pairs(env, 10).cross(pairs(env, 1e5)).with(new Join())));
        plans.put(
                "cross of equals: a grid",
                env -> write(pairs(env, 1e4).cross(pairs(env, 1e4)).with(new Join())));
        plans.put(
                "co-group",
                env ->
                        write(
                                pairs(env, 1e6)
                                        .coGroup(pairs(env, 1e6))
                                        .where(0)
                                        .equalTo(1)
                                        .with(new Groups())));
    }

    private void reuse() {
        plans.put(
                "same-key map between match and reduce: no second shuffle",
                env -> {
                    var join = keyed(pairs(env, 1e6), pairs(env, 1e6));
                    var map = join.map(new Shorten()).withForwardedFields("f0");
                    write(map.groupBy(0).reduceGroup(new Count()));
                });
        plans.put(
                "map without a promise between match and reduce: shuffles again",
                env -> {
                    var join = keyed(pairs(env, 1e6), pairs(env, 1e6));
                    write(join.map(new Shorten()).groupBy(0).reduceGroup(new Count()));
                });
        plans.put(
                "reduce after reduce on the same key",
                env -> {
                    SingleInputUdfOperator<Tuple2<Long, Long>, Tuple2<Long, Long>, ?> first =
                            pairs(env, 1e6)
                                    .groupBy(0)
                                    .reduceGroup(new Count())
                                    .withForwardedFields("f0");
                    write(first.groupBy(0).reduceGroup(new Count()));
                });
        plans.put(
                "join with what is partitioned already",
                env -> {
                    var counts = pairs(env, 1e7).groupBy(0).aggregate(Aggregations.SUM, 1);
                    write(join(counts, pairs(env, 9e5)));
                });
        plans.put(
                "two joins on the same key",
                env -> {
                    var first = keyed(pairs(env, 1e6), pairs(env, 1e6));
                    write(first.join(pairs(env, 1e6)).where(0).equalTo(0).with(new SecondJoin()));
                });
        plans.put(
                "filter that may read everything stays",
                env -> write(keyed(pairs(env, 1e6), pairs(env, 1e6)).filter(new Keep())));
        plans.put(
                "a data set joined with itself does not block",
                env -> {
                    var in = pairs(env, 1e6);
                    write(in.join(in).where(0).equalTo(1).with(new Join()));
                });
    }

    private static DataSet<Tuple3<Long, Long, Long>> join(
            DataSet<Tuple2<Long, Long>> first, DataSet<Tuple2<Long, Long>> second) {
        return first.join(second).where(0).equalTo(0).with(new Join());
    }

    /** The same, with the key passed on unchanged. */
    private static DataSet<Tuple3<Long, Long, Long>> keyed(
            DataSet<Tuple2<Long, Long>> first, DataSet<Tuple2<Long, Long>> second) {
        return first.join(second)
                .where(0)
                .equalTo(0)
                .with(new Join())
                .withForwardedFieldsFirst("f0");
    }
}
