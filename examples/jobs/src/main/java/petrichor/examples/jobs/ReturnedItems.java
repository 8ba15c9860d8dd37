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
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.Slice;

/**
 * Query 10 of TPC-H: the twenty customers with the most expensive returned items of one quarter.
 */
public final class ReturnedItems implements JobProgram {
    private static final Slice FIRST_DAY = Slice.of("1993-10-01");
    private static final Slice DAY_AFTER = Slice.of("1994-01-01");
    private static final Slice RETURNED = Slice.of("R");

    private static final RecordType LOSS =
            RecordType.of(Field.int64("l_custkey"), Field.float64("revenue"));
    private static final RecordType CUSTOMER =
            RecordType.of(
                    Field.int64("c_custkey"),
                    Field.text("c_name"),
                    Field.float64("revenue"),
                    Field.float64("c_acctbal"),
                    Field.int64("c_nationkey"),
                    Field.text("c_address"),
                    Field.text("c_phone"),
                    Field.text("c_comment"));
    private static final RecordType RESULT =
            RecordType.of(
                    Field.int64("c_custkey"),
                    Field.text("c_name"),
                    Field.float64("revenue"),
                    Field.float64("c_acctbal"),
                    Field.text("n_name"),
                    Field.text("c_address"),
                    Field.text("c_phone"),
                    Field.text("c_comment"));

    @Override
    public Plan plan(Arguments arguments) {
        return plan(new Tpch(arguments.text("input")), arguments.text("output"));
    }

    static Plan plan(Tpch tables, String result) {
        var plan = Plan.named("TPC-H Q10").parallelism(2);
        var orders =
                plan.read(tables.orders())
                        .filter("of the quarter", ReturnedItems::inQuarter, "o_orderdate")
                        .recordsPerCall(0.04);
        var items =
                plan.read(tables.items())
                        .filter(
                                "returned",
                                l -> l.slice(3, new Slice()).equalsBytes(RETURNED),
                                "l_returnflag")
                        .recordsPerCall(0.25);
        var losses =
                orders.match(items, "o_orderkey", "l_orderkey")
                        .with(
                                "returned parts",
                                LOSS,
                                (o, l, out) ->
                                        out.record()
                                                .copy(0, o, 1)
                                                .float64(1, l.float64(1) * (1 - l.float64(2)))
                                                .emit())
                        .groupBy("l_custkey")
                        .aggregate(Aggregate.sum(1));
        plan.read(tables.customers())
                .match(losses, "c_custkey", "l_custkey")
                .with(
                        "of customers",
                        CUSTOMER,
                        (c, loss, out) ->
                                out.record()
                                        .copy(0, c, 0)
                                        .copy(1, c, 1)
                                        .copy(2, loss, 1)
                                        .copy(3, c, 5)
                                        .copy(4, c, 3)
                                        .copy(5, c, 2)
                                        .copy(6, c, 4)
                                        .copy(7, c, 7)
                                        .emit())
                .match(plan.read(tables.nations()), "c_nationkey", "n_nationkey")
                .with("of nations", RESULT, ReturnedItems::named)
                .sortBy(Key.descending(2).then(0, Order.ASCENDING))
                .first(20)
                .write(new CsvSink(Target.file(result), CsvSource.Dialect.COMMA));
        return plan;
    }

    private static boolean inQuarter(RecordView order) {
        var day = order.slice(2, new Slice());
        return day.compareBytes(FIRST_DAY) >= 0 && day.compareBytes(DAY_AFTER) < 0;
    }

    private static void named(RecordView customer, RecordView nation, Out out) {
        var result = out.record();
        for (int field = 0; field < RESULT.size(); field++) {
            if (field != 4) {
                result.copy(field, customer, field);
            }
        }
        result.copy(4, nation, 1).emit();
    }
}
