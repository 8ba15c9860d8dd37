package petrichor.cli;

import java.util.List;
import petrichor.jobs.formats.CsvColumn;
import petrichor.jobs.formats.CsvSink;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.formats.TextSource;
import petrichor.jobs.local.Arguments;
import petrichor.jobs.local.JobProgram;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.Order;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.Slice;

/**
 * The job of a {@link Training}: reads delimited text and lines, filters, computes, joins, groups,
 * sorts and writes, as most jobs do.
 */
public final class TrainingJob implements JobProgram {
    private static final Slice DAY = Slice.of("1995-01-01");
    private static final RecordType SALE =
            RecordType.of(Field.text("day"), Field.int32("customer"), Field.float64("price"));

    @Override
    public Plan plan(Arguments arguments) {
        var plan = Plan.named("training").parallelism(2);
        var sink = new CsvSink(Target.file(arguments.text("result")), CsvSource.Dialect.COMMA);
        var orders =
                plan.read(
                                table(
                                        arguments.text("orders"),
                                        new CsvColumn(0, Field.int64("order")),
                                        new CsvColumn(1, Field.int32("customer")),
                                        new CsvColumn(3, Field.text("day"))))
                        .filter(
                                "early",
                                order -> order.slice(2, new Slice()).compareBytes(DAY) < 0,
                                "day");
        var items =
                plan.read(
                                table(
                                        arguments.text("items"),
                                        new CsvColumn(0, Field.int64("item_order")),
                                        new CsvColumn(2, Field.float64("price")),
                                        new CsvColumn(3, Field.float64("discount"))))
                        .filter("reduced", item -> item.float64(2) > 0, "discount");
        var sales =
                orders.match(items, "order", "item_order")
                        .with(
                                "sales",
                                SALE,
                                (order, item, out) ->
                                        out.record()
                                                .copy(0, order, 2)
                                                .copy(1, order, 1)
                                                .float64(2, item.float64(1) * (1 - item.float64(2)))
                                                .emit());
        var words =
                plan.read(new TextSource(arguments.text("orders")))
                        .map(
                                "words",
                                SALE,
                                (line, out) -> {
                                    for (String word : line.text(0).split(" ", -1)) {
                                        out.record().text(0, word).int32(1, 1).emit();
                                    }
                                });
        sales.union(words)
                .groupBy("day", "customer")
                .aggregate(Aggregate.count(), Aggregate.sum(2))
                .sortBy(Key.descending(2).then(0, Order.ASCENDING))
                .write(sink);
        return plan;
    }

    private static CsvSource table(String path, CsvColumn... columns) {
        return CsvSource.byPosition(path, CsvSource.Dialect.BAR, List.of(columns));
    }
}
