package petrichor.examples.jobs;

import petrichor.jobs.formats.CsvSink;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.FixedSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.local.Arguments;
import petrichor.jobs.local.JobProgram;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.Slice;

/**
 * Computes the average of the k smallest of many numbers: the sort/aggregate job of Warneke's
 * thesis (3.4), in one job graph instead of three MapReduce jobs. When k numbers have come out of
 * the sort, its producers are stopped. A number is the key of a record of the sort benchmark: ten
 * digits of base 95.
 */
public final class SmallestAverage implements JobProgram {
    private static final int BASE = 95;
    private static final RecordType NUMBER = RecordType.of(Field.float64("number"));

    @Override
    public Plan plan(Arguments arguments) {
        return plan(arguments.text("input"), arguments.text("output"), arguments.whole("k", 1_000));
    }

    static Plan plan(String records, String result, long k) {
        var plan = Plan.named("average of the smallest").parallelism(2);
        plan.read(new FixedSource(records, TeraSort.RECORD))
                .map("numbers", NUMBER, number())
                .sortBy(Key.of(0))
                .first(k)
                .aggregate(Aggregate.count(), Aggregate.average(0))
                .write(new CsvSink(Target.file(result), CsvSource.Dialect.COMMA));
        return plan;
    }

    private static MapCode number() {
        var digits = new Slice();
        return (record, out) -> {
            record.slice(0, digits);
            double number = 0;
            for (int i = 0; i < digits.length(); i++) {
                number = number * BASE + (digits.byteAt(i) - ' ');
            }
            out.record().float64(0, number).emit();
        };
    }
}
