package petrichor.jobs.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.formats.CsvSink;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.formats.TextSource;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordType;

/** A job that does nothing, run before the first one so that this finds all classes loaded. */
final class JvmWarmup {
    private static final RecordType NUMBER = RecordType.of(Field.int64("number"));

    /** The first loads classes, the others let the compiler see what is used often. */
    private static final int ROUNDS = 3;

    private JvmWarmup() {}

    static void take() throws IOException {
        Path folder = Files.createTempDirectory("petrichor-warmth-");
        try {
            Path in = Files.write(folder.resolve("in"), Collections.nCopies(100, "1"));
            Path out = folder.resolve("out");
            for (int i = 0; i < ROUNDS; i++) {
                run(plan(in, out), folder);
                Files.delete(out);
            }
        } finally {
            ServedJob.delete(folder);
        }
        Submission submission = new Submission(null, List.of("x"));
        Assignment.parse(new Assignment(folder, folder, folder, null, submission, false).json());
    }

    private static Plan plan(Path in, Path out) {
        Plan plan = Plan.named("warmth");
        plan.read(new TextSource(in.toString()))
                .map(
                        "map",
                        NUMBER,
                        (text, emit) -> emit.record().int64(0, Long.parseLong(text.text(0))).emit())
                .groupBy("number")
                .aggregate(Aggregate.count())
                .write(new CsvSink(Target.file(out.toString()), CsvSource.Dialect.COMMA));
        return plan;
    }

    private static void run(Plan plan, Path folder) {
        Jobs.local()
                .with(EngineOptions.ofThisProcess().withSpillFolder(folder))
                .start(
                        plan,
                        new RunEvents(
                                plan.name(),
                                event -> ProgressJson.event(ProgressJson.of(event).toString())))
                .await();
    }
}
