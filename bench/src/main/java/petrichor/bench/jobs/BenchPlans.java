package petrichor.bench.jobs;

import java.nio.file.Path;
import java.util.List;
import petrichor.jobs.formats.CsvColumn;
import petrichor.jobs.formats.CsvSink;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.formats.TextSink;
import petrichor.jobs.formats.TextSource;
import petrichor.jobs.pact.DataSet;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.Order;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.Slice;
import petrichor.jobs.records.Words;

/**
 * The measured jobs, as plans: the compiler chooses how they run, like the optimizers of SQL and of
 * data frames for the other contenders. They read and write text, as the others do.
 */
final class BenchPlans {
    private static final int KEY_BYTES = 10;
    private static final RecordType WORD = RecordType.of(Field.text("word"));
    private static final RecordType NUMBER = RecordType.of(Field.float64("key"));
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
    private static final Slice BUILDING = Slice.of("BUILDING");
    private static final Slice DAY = Slice.of("1995-03-15");

    private BenchPlans() {}

    /** Sorts all lines into one file. */
    static Plan sort(Path input, Path output, int parallelism) {
        Plan plan = Plan.named("sort").parallelism(parallelism);
        plan.read(new TextSource(input.toString()))
                .sortBy(Key.of(0))
                .write(new TextSink(Target.file(output.toString())));
        return plan;
    }

    /** Counts the occurrences of each word. */
    static Plan wordCount(Path input, Path output, int parallelism) {
        Plan plan = Plan.named("word count").parallelism(parallelism);
        plan.read(new TextSource(input.toString()))
                .map("words", WORD, new SplitWords())
                .groupBy("word")
                .aggregate(Aggregate.count())
                .write(separated(output, '\t'));
        return plan;
    }

    /** The average of the k smallest keys, read as numbers of base 95. */
    static Plan smallest(Path input, Path output, long k, int parallelism) {
        Plan plan = Plan.named("k smallest").parallelism(parallelism);
        plan.read(new TextSource(input.toString()))
                .map("to number", NUMBER, keyNumber())
                .sortBy(Key.of(0))
                .first(k)
                .aggregate(Aggregate.average(0))
                .write(separated(output, ','));
        return plan;
    }

    /** TPC-H's third query: unshipped orders of the highest value, of one market segment. */
    static Plan q3(Path folder, Path output, int parallelism) {
        Plan plan = Plan.named("TPC-H Q3").parallelism(parallelism);
        DataSet customers =
                table(
                                plan,
                                folder.resolve("customer.tbl"),
                                new CsvColumn(0, Field.int64("c_custkey")),
                                new CsvColumn(6, Field.text("c_mktsegment")))
                        .filter(
                                "building",
                                c -> c.slice(1, new Slice()).equalsBytes(BUILDING),
                                "c_mktsegment");
        DataSet orders =
                table(
                                plan,
                                folder.resolve("orders.tbl"),
                                new CsvColumn(0, Field.int64("o_orderkey")),
                                new CsvColumn(1, Field.int64("o_custkey")),
                                new CsvColumn(4, Field.text("o_orderdate")),
                                new CsvColumn(7, Field.int32("o_shippriority")))
                        .filter(
                                "early",
                                o -> o.slice(2, new Slice()).compareBytes(DAY) < 0,
                                "o_orderdate");
        DataSet items =
                table(
                                plan,
                                folder.resolve("lineitem.tbl"),
                                new CsvColumn(0, Field.int64("l_orderkey")),
                                new CsvColumn(5, Field.float64("l_extendedprice")),
                                new CsvColumn(6, Field.float64("l_discount")),
                                new CsvColumn(10, Field.text("l_shipdate")))
                        .filter(
                                "late",
                                l -> l.slice(3, new Slice()).compareBytes(DAY) > 0,
                                "l_shipdate");
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
                .write(separated(output, '|'));
        return plan;
    }

    private static DataSet table(Plan plan, Path file, CsvColumn... columns) {
        return plan.read(
                CsvSource.byPosition(file.toString(), CsvSource.Dialect.BAR, List.of(columns)));
    }

    private static CsvSink separated(Path output, char separator) {
        return new CsvSink(Target.file(output.toString()), new CsvSource.Dialect(separator, false));
    }

    /** Splits a line at blanks. */
    private static final class SplitWords implements MapCode {
        private static final long serialVersionUID = 1L;

        private final Slice line = new Slice();

        @Override
        public void map(RecordView in, Out out) {
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

    private static MapCode keyNumber() {
        Slice key = new Slice();
        return (in, out) -> {
            Slice line = in.slice(0, key);
            double value = 0;
            for (int i = 0; i < KEY_BYTES; i++) {
                value = value * 95 + (line.byteAt(i) - ' ');
            }
            out.record().float64(0, value).emit();
        };
    }
}
