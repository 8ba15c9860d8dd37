package petrichor.examples.jobs;

import petrichor.jobs.formats.CsvSink;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.local.Arguments;
import petrichor.jobs.local.JobProgram;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.Order;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.Slice;

/** Query 3 of TPC-H: the ten most valuable orders that were not shipped by a given day. */
public final class ShippingPriority implements JobProgram {
    private static final Slice BUILDING = Slice.of("BUILDING");
    private static final Slice DAY = Slice.of("1995-03-15");

    private static final RecordType ORDER =
            RecordType.of(
                    Field.int64("o_orderkey"),
                    Field.text("o_orderdate"),
                    Field.int32("o_shippriority"));
    private static final RecordType SALE =
            RecordType.of(
                    Field.int64("l_orderkey"),
                    Field.text("o_orderdate"),
                    Field.int32("o_shippriority"),
                    Field.float64("revenue"));

    @Override
    public Plan plan(Arguments arguments) {
        return plan(new Tpch(arguments.text("input")), arguments.text("output"));
    }

    static Plan plan(Tpch tables, String result) {
        var plan = Plan.named("TPC-H Q3").parallelism(2);
        var customers =
                plan.read(tables.customers())
                        .project("c_custkey", "c_mktsegment")
                        .filter(
                                "building",
                                c -> c.slice(1, new Slice()).equalsBytes(BUILDING),
                                "c_mktsegment")
                        .recordsPerCall(0.2);
        var orders =
                plan.read(tables.orders())
                        .filter(
                                "ordered before",
                                o -> o.slice(2, new Slice()).compareBytes(DAY) < 0,
                                "o_orderdate")
                        .recordsPerCall(0.5);
        var items =
                plan.read(tables.items())
                        .filter(
                                "shipped after",
                                l -> l.slice(4, new Slice()).compareBytes(DAY) > 0,
                                "l_shipdate")
                        .recordsPerCall(0.5);
        customers
                .match(orders, "c_custkey", "o_custkey")
                .with(
                        "orders of customers",
                        ORDER,
                        (c, o, out) ->
                                out.record().copy(0, o, 0).copy(1, o, 2).copy(2, o, 3).emit())
                .match(items, "o_orderkey", "l_orderkey")
                .with(
                        "items of orders",
                        SALE,
                        (o, l, out) ->
                                out.record()
                                        .copy(0, o, 0)
                                        .copy(1, o, 1)
                                        .copy(2, o, 2)
                                        .float64(3, l.float64(1) * (1 - l.float64(2)))
                                        .emit())
                .groupBy("l_orderkey", "o_orderdate", "o_shippriority")
                .aggregate(Aggregate.sum(3))
                .sortBy(Key.descending(3).then(1, Order.ASCENDING))
                .first(10)
                .write(new CsvSink(Target.file(result), CsvSource.Dialect.COMMA));
        return plan;
    }
}
