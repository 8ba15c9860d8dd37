package petrichor.examples.jobs;

import java.util.List;
import petrichor.jobs.formats.FixedColumn;
import petrichor.jobs.formats.FixedSink;
import petrichor.jobs.formats.FixedSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.local.Arguments;
import petrichor.jobs.local.JobProgram;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;

/**
 * Sorts records of 100 bytes by their first ten. A sample of the input determines key ranges; each
 * subtask sorts one range, and their concatenation is the sorted file.
 */
public final class TeraSort implements JobProgram {
    /** The record format of Jim Gray's sort benchmark. */
    static final List<FixedColumn> RECORD =
            List.of(
                    new FixedColumn(Field.bytes("key"), 10),
                    new FixedColumn(Field.bytes("payload"), 90));

    @Override
    public Plan plan(Arguments arguments) {
        return plan(arguments.text("input"), arguments.text("output"));
    }

    static Plan plan(String records, String result) {
        var plan = Plan.named("tera sort").parallelism(2);
        plan.read(new FixedSource(records, RECORD))
                .sortBy(Key.of(0))
                .write(new FixedSink(Target.file(result), RECORD));
        return plan;
    }
}
