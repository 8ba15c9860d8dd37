package petrichor.bench.jobs;

import java.nio.file.Path;
import java.util.List;
import petrichor.bench.jobs.GraphBuilder.In;
import petrichor.jobs.formats.CsvColumn;
import petrichor.jobs.formats.CsvSink;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.FixedColumn;
import petrichor.jobs.formats.FixedSink;
import petrichor.jobs.formats.FixedSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.formats.TextSource;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.RangeBounds;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Side;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.Order;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.Record;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.Slice;
import petrichor.jobs.records.Words;

/** The jobs that are measured, as graphs. */
final class BenchJobs {
    /** TeraSort's records: a key of ten characters and ninety bytes more. */
    private static final List<FixedColumn> TERA =
            List.of(
                    new FixedColumn(Field.text("key"), 10),
                    new FixedColumn(Field.bytes("payload"), 90));

    private BenchJobs() {}

    /** All records in the order of their keys, into one file. */
    static JobGraph sort(Path input, Path output, int parallelism) {
        GraphBuilder graph = new GraphBuilder("sort");
        JobVertex read =
                graph.add(
                        "read",
                        new Operation.Read(new FixedSource(input.toString(), TERA)),
                        parallelism,
                        List.of());
        Key key = Key.of(0);
        JobVertex sorted =
                graph.add(
                        "sort",
                        new Operation.Relay(),
                        parallelism,
                        List.of(
                                new In(
                                        read,
                                        new Shipping.RangePartition(key, RangeBounds.sampled()),
                                        new InputOrder.Sorted(key))));
        graph.add(
                "write",
                new Operation.Write(new FixedSink(Target.file(output.toString()), TERA)),
                parallelism,
                List.of(In.of(sorted, new Shipping.Forward())));
        return graph.graph();
    }

    /** How often each word occurs. */
    static JobGraph wordCount(Path input, Path output, int parallelism) {
        RecordType word = RecordType.of(Field.text("word"));
        Aggregation count = Aggregation.by(List.of(0), Aggregate.count());
        GraphBuilder graph = new GraphBuilder("word count");
        JobVertex read =
                graph.add(
                        "words",
                        new Operation.Read(new TextSource(input.toString())),
                        parallelism,
                        List.of(),
                        new Step.Map("split", new SplitWords(), word),
                        new Step.Combine("count here", count));
        JobVertex counted =
                graph.add(
                        "count",
                        new Operation.HashAggregate(count, Aggregation.Step.FINAL, word),
                        parallelism,
                        List.of(In.of(read, new Shipping.HashPartition(Key.of(0)))));
        graph.add(
                "write",
                new Operation.Write(
                        new CsvSink(
                                Target.file(output.toString()),
                                new CsvSource.Dialect('\t', false))),
                parallelism,
                List.of(In.of(counted, new Shipping.Forward())));
        return graph.graph();
    }

    /** Splits a line at its blanks. */
    private static final class SplitWords implements MapCode {
        private static final long serialVersionUID = 1L;

        private final Slice line = new Slice();

        @Override
        public void map(Record in, Out out) {
            Slice text = in.slice(0, line);
            byte[] bytes = text.base();
            int end = text.at() + text.length();
            long blank = Words.pattern(' ');
            for (int at = text.at(); at < end; ) {
                int to = Words.find(bytes, at, end, blank);
                if (to > at) {
                    out.record().bytes(0, bytes, at, to - at).emit();
                }
                at = to + 1;
            }
        }
    }

    /** The average of the k smallest keys, read as numbers of base 95. */
    static JobGraph smallest(Path input, Path output, long k, int parallelism) {
        RecordType number = RecordType.of(Field.float64("key"));
        GraphBuilder graph = new GraphBuilder("k smallest");
        JobVertex read =
                graph.add(
                        "keys",
                        new Operation.Read(new FixedSource(input.toString(), TERA)),
                        parallelism,
                        List.of(),
                        new Step.Map("to number", keyNumber(), number));
        JobVertex sorted =
                graph.add(
                        "sort",
                        new Operation.Relay(),
                        parallelism,
                        List.of(
                                new In(
                                        read,
                                        new Shipping.Rebalance(),
                                        new InputOrder.Sorted(Key.of(0)))),
                        new Step.First("first " + k, k));
        Aggregation average = Aggregation.by(List.of(), Aggregate.average(0));
        JobVertex first =
                graph.add(
                        "first",
                        new Operation.Relay(),
                        1,
                        List.of(
                                new In(
                                        sorted,
                                        new Shipping.Rebalance(),
                                        new InputOrder.Merged(Key.of(0)))),
                        new Step.First("first " + k, k),
                        new Step.Combine("average", average));
        JobVertex averaged =
                graph.add(
                        "average",
                        new Operation.HashAggregate(average, Aggregation.Step.FINAL, number),
                        1,
                        List.of(In.of(first, new Shipping.Forward())));
        graph.add(
                "write",
                new Operation.Write(
                        new CsvSink(
                                Target.file(output.toString()), new CsvSource.Dialect(',', false))),
                1,
                List.of(In.of(averaged, new Shipping.Forward())));
        return graph.graph();
    }

    private static MapCode keyNumber() {
        Slice key = new Slice();
        return (in, out) -> {
            byte[] base = in.base();
            int at = in.slice(0, key).at();
            double value = 0;
            for (int i = 0; i < 10; i++) {
                value = value * 95 + (base[at + i] - ' ');
            }
            out.record().float64(0, value).emit();
        };
    }

    /** TPC-H's third query: unshipped orders of the highest value, of one market segment. */
    static JobGraph q3(Path folder, Path output, int parallelism) {
        CsvSource.Dialect bar = CsvSource.Dialect.BAR;
        CsvSource customers =
                CsvSource.byPosition(
                        folder.resolve("customer.tbl").toString(),
                        bar,
                        List.of(
                                new CsvColumn(0, Field.int64("c_custkey")),
                                new CsvColumn(6, Field.text("c_mktsegment"))));
        CsvSource orders =
                CsvSource.byPosition(
                        folder.resolve("orders.tbl").toString(),
                        bar,
                        List.of(
                                new CsvColumn(0, Field.int64("o_orderkey")),
                                new CsvColumn(1, Field.int64("o_custkey")),
                                new CsvColumn(4, Field.text("o_orderdate")),
                                new CsvColumn(7, Field.int32("o_shippriority"))));
        CsvSource items =
                CsvSource.byPosition(
                        folder.resolve("lineitem.tbl").toString(),
                        bar,
                        List.of(
                                new CsvColumn(0, Field.int64("l_orderkey")),
                                new CsvColumn(5, Field.float64("l_extendedprice")),
                                new CsvColumn(6, Field.float64("l_discount")),
                                new CsvColumn(10, Field.text("l_shipdate"))));
        RecordType customer = RecordType.of(Field.int64("c_custkey"));
        RecordType order =
                RecordType.of(
                        Field.int64("o_orderkey"),
                        Field.text("o_orderdate"),
                        Field.int32("o_shippriority"));
        RecordType item = RecordType.of(Field.int64("l_orderkey"), Field.float64("revenue"));
        RecordType joined =
                RecordType.of(
                        Field.int64("l_orderkey"),
                        Field.text("o_orderdate"),
                        Field.int32("o_shippriority"),
                        Field.float64("revenue"));
        GraphBuilder graph = new GraphBuilder("TPC-H Q3");
        JobVertex c =
                graph.add(
                        "customers",
                        new Operation.Read(customers),
                        parallelism,
                        List.of(),
                        new Step.Map("building", equalTo(1, "BUILDING", 0), customer));
        JobVertex o =
                graph.add(
                        "orders",
                        new Operation.Read(orders),
                        parallelism,
                        List.of(),
                        new Step.Map("early", before(2, "1995-03-15"), orders.type()));
        JobVertex l =
                graph.add(
                        "items",
                        new Operation.Read(items),
                        parallelism,
                        List.of(),
                        new Step.Map("late", lateItems(), item));
        JobVertex co =
                graph.add(
                        "orders of customers",
                        new Operation.HashJoin(
                                Key.of(0),
                                Key.of(1),
                                Side.FIRST,
                                (left, right, out) ->
                                        out.record()
                                                .copy(0, right, 0)
                                                .copy(1, right, 2)
                                                .copy(2, right, 3)
                                                .emit(),
                                order),
                        parallelism,
                        List.of(
                                In.of(c, new Shipping.Broadcast()),
                                In.of(o, new Shipping.Forward())));
        Aggregation revenue = Aggregation.by(List.of(0, 1, 2), Aggregate.sum(3));
        JobVertex col =
                graph.add(
                        "items of orders",
                        new Operation.HashJoin(
                                Key.of(0),
                                Key.of(0),
                                Side.FIRST,
                                (left, right, out) ->
                                        out.record()
                                                .copy(0, left, 0)
                                                .copy(1, left, 1)
                                                .copy(2, left, 2)
                                                .copy(3, right, 1)
                                                .emit(),
                                joined),
                        parallelism,
                        List.of(
                                In.of(co, new Shipping.Broadcast()),
                                In.of(l, new Shipping.Forward())),
                        new Step.Combine("revenue here", revenue));
        JobVertex summed =
                graph.add(
                        "revenue",
                        new Operation.HashAggregate(revenue, Aggregation.Step.FINAL, joined),
                        parallelism,
                        List.of(In.of(col, new Shipping.HashPartition(Key.of(0)))));
        Key highest = Key.descending(3).then(1, Order.ASCENDING);
        JobVertex top =
                graph.add(
                        "highest",
                        new Operation.Relay(),
                        1,
                        List.of(
                                new In(
                                        summed,
                                        new Shipping.Rebalance(),
                                        new InputOrder.Sorted(highest))),
                        new Step.First("first 10", 10));
        graph.add(
                "write",
                new Operation.Write(
                        new CsvSink(
                                Target.file(output.toString()), new CsvSource.Dialect('|', false))),
                1,
                List.of(In.of(top, new Shipping.Forward())));
        return graph.graph();
    }

    private static MapCode equalTo(int field, String text, int kept) {
        Slice wanted = Slice.of(text);
        Slice found = new Slice();
        return (in, out) -> {
            if (in.slice(field, found).equalsBytes(wanted)) {
                out.record().copy(0, in, kept).emit();
            }
        };
    }

    private static MapCode before(int field, String text) {
        Slice limit = Slice.of(text);
        Slice found = new Slice();
        return (in, out) -> {
            if (in.slice(field, found).compareBytes(limit) < 0) {
                out.emit(in);
            }
        };
    }

    private static MapCode lateItems() {
        Slice limit = Slice.of("1995-03-15");
        Slice found = new Slice();
        return (in, out) -> {
            if (in.slice(3, found).compareBytes(limit) > 0) {
                out.record().copy(0, in, 0).float64(1, in.float64(1) * (1 - in.float64(2))).emit();
            }
        };
    }
}
