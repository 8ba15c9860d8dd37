package petrichor.examples.jobs;

import java.util.Locale;
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

/** Counts the words of a text, most frequent first. */
public final class WordCount implements JobProgram {
    private static final RecordType WORD = RecordType.of(Field.text("word"));

    @Override
    public Plan plan(Arguments arguments) {
        return plan(arguments.text("input"), arguments.text("output"));
    }

    static Plan plan(String text, String result) {
        var plan = Plan.named("word count").parallelism(2);
        plan.read(new TextSource(text))
                .map(
                        "words",
                        WORD,
                        (line, out) -> {
                            for (String word : line.text(0).split("\\W+", -1)) {
                                if (!word.isEmpty()) {
                                    out.record().text(0, word.toLowerCase(Locale.ROOT)).emit();
                                }
                            }
                        })
                .recordsPerCall(8)
                .groupBy("word")
                .aggregate(Aggregate.count())
                .sortBy(Key.descending(1).then(0, Order.ASCENDING))
                .write(new CsvSink(Target.file(result), CsvSource.Dialect.COMMA));
        return plan;
    }
}
