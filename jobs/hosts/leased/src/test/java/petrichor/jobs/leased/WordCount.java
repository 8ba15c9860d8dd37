package petrichor.jobs.leased;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import petrichor.jobs.formats.CsvSink;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.formats.TextSink;
import petrichor.jobs.formats.TextSource;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.RecordType;

/**
 * Counts and sorts the words of a file, with the expected result.
 *
 * @param expected the lines of the result, in order
 */
record WordCount(Path input, Path result, List<String> expected) {
    private static final int LINES = 20_000;
    private static final int WORDS = 2_000;

    static WordCount in(Path folder, Random random) throws IOException {
        Map<String, Long> counts = new TreeMap<>();
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < LINES; i++) {
            StringBuilder line = new StringBuilder();
            for (int w = 0; w < 4; w++) {
                String word = "word" + (int) (WORDS * random.nextDouble() * random.nextDouble());
                counts.merge(word, 1L, Long::sum);
                line.append(w == 0 ? "" : " ").append(word);
            }
            lines.add(line.toString());
        }
        Path input = Files.write(folder.resolve("lines.txt"), lines);
        return new WordCount(
                input,
                folder.resolve("counts.csv"),
                counts.entrySet().stream()
                        .map(each -> each.getKey() + "," + each.getValue())
                        .toList());
    }

    private static void pause(String record, int every, int millis) {
        if (millis > 0 && Math.floorMod(record.hashCode(), every) == 0) {
            LockSupport.parkNanos(millis * 1_000_000L);
        }
    }

    Plan plan(int parallelism) {
        return plan(parallelism, 0);
    }

    /**
     * @param pauseMillis pause of every hundredth record in the first stage and every tenth in the
     *     second
     */
    Plan plan(int parallelism, int pauseMillis) {
        Plan plan = Plan.named("word count").parallelism(parallelism);
        RecordType word = RecordType.of(Field.text("word"));
        plan.read(new TextSource(input.toString()))
                .map(
                        "words",
                        word,
                        (in, out) -> {
                            pause(in.text(0), 100, pauseMillis);
                            for (String one : in.text(0).split(" ", -1)) {
                                out.record().text(0, one).emit();
                            }
                        })
                .groupBy("word")
                .aggregate(Aggregate.count())
                .sortBy(Key.of(0))
                .map(
                        "take time",
                        RecordType.of(Field.text("word"), Field.int64("count")),
                        (in, out) -> {
                            pause(in.text(0), 10, pauseMillis);
                            out.emit(in);
                        })
                .write(
                        new CsvSink(
                                Target.file(result.toString()), new CsvSource.Dialect(',', false)));
        return plan;
    }

    /** The lines of the input, sorted by one subtask; a task with more subtasks follows. */
    Plan sorted(int behind, Path place) {
        Plan plan = Plan.named("sorted lines").parallelism(1);
        plan.read(new TextSource(input.toString()))
                .sortBy(Key.of(0))
                .map("behind", RecordType.of(Field.text("line")), (in, out) -> out.emit(in))
                .parallelism(behind)
                .write(new TextSink(Target.folder(place.toString())));
        return plan;
    }
}
