package petrichor.jobs.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
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
 * A small job from files to a file, with the expected result, computed without the engine.
 *
 * @param iterates whether it has more than one job graph
 * @param expected the lines of the result, in order
 */
record ExampleJob(Plan plan, boolean iterates, Path result, List<String> expected) {
    /** Kinds of jobs: this many in a row are one of each. */
    static final int KINDS = 6;

    /** Rounds of the jobs that iterate. */
    private static final int ROUNDS = 2;

    private static final int LINES = 40_000;
    private static final int WORDS = 5_000;
    private static final int KEYS = 4_000;

    static ExampleJob any(long number, Random random, Path folder) throws IOException {
        return switch ((int) (number % KINDS)) {
            case 0 -> wordCount(random, folder);
            case 1 -> sort(random, folder);
            case 2 -> join(random, folder);
            case 3 -> ShippingPriority.job(random, folder);
            case 4 -> KnownIterations.pageRank(random, folder, ROUNDS);
            default -> KnownIterations.kMeans(random, folder, ROUNDS);
        };
    }

    private static ExampleJob wordCount(Random random, Path folder) throws IOException {
        List<String> lines = new ArrayList<>();
        Map<String, Long> counts = new TreeMap<>();
        for (int i = 0; i < LINES; i++) {
            StringBuilder line = new StringBuilder();
            for (int w = 0; w < 4; w++) {
                String word = "word" + (int) (WORDS * random.nextDouble() * random.nextDouble());
                counts.merge(word, 1L, Long::sum);
                line.append(w == 0 ? "" : " ").append(word);
            }
            lines.add(line.toString());
        }
        var plan = plan("word count");
        var word = RecordType.of(Field.text("word"));
        plan.read(text(folder, "lines", lines))
                .map(
                        "words",
                        word,
                        (line, out) -> {
                            for (String each : line.text(0).split(" ", -1)) {
                                out.record().text(0, each).emit();
                            }
                        })
                .groupBy("word")
                .aggregate(Aggregate.count())
                .sortBy(Key.of(0))
                .write(csv(folder));
        return of(
                plan,
                folder,
                counts.entrySet().stream().map(e -> e.getKey() + "," + e.getValue()).toList());
    }

    private static ExampleJob sort(Random random, Path folder) throws IOException {
        List<String> lines =
                random.ints(2 * LINES, 0, LINES)
                        .mapToObj(i -> i + " " + "z".repeat(i % 60))
                        .toList();
        var plan = plan("sort");
        plan.read(text(folder, "lines", lines))
                .sortBy(Key.of(0))
                .write(new TextSink(Target.file(folder.resolve("result").toString())));
        return of(plan, folder, lines.stream().sorted().toList());
    }

    private static ExampleJob join(Random random, Path folder) throws IOException {
        List<String> lefts = new ArrayList<>();
        List<String> rights = new ArrayList<>();
        Map<String, List<String>> byKey = new TreeMap<>();
        for (int i = 0; i < KEYS; i++) {
            String key = "k" + random.nextInt(KEYS);
            rights.add(key + ",right" + i);
            byKey.computeIfAbsent(key, _ -> new ArrayList<>()).add("right" + i);
        }
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < LINES; i++) {
            String key = "k" + random.nextInt(2 * KEYS);
            lefts.add(key + ",left" + i);
            for (String right : byKey.getOrDefault(key, List.of())) {
                expected.add("left" + i + "," + right);
            }
        }
        var plan = plan("join");
        var pair = RecordType.of(Field.text("left"), Field.text("right"));
        var right = plan.read(pairs(folder, "rights", rights));
        plan.read(pairs(folder, "lefts", lefts))
                .match(right, "key", "key")
                .with("join", pair, (a, b, out) -> out.record().copy(0, a, 1).copy(1, b, 1).emit())
                .sortBy(Key.of(0, 1))
                .write(csv(folder));
        return of(plan, folder, expected.stream().sorted().toList());
    }

    static Plan plan(String name) {
        return Plan.named(name).parallelism(3);
    }

    private static TextSource text(Path folder, String name, List<String> lines)
            throws IOException {
        return new TextSource(Files.write(folder.resolve(name), lines).toString());
    }

    /** Writes lines to a file with these fields. */
    static CsvSource csv(Path folder, String name, List<String> lines, Field... fields)
            throws IOException {
        return CsvSource.of(
                Files.write(folder.resolve(name), lines).toString(),
                new CsvSource.Dialect(',', false),
                fields);
    }

    private static CsvSource pairs(Path folder, String name, List<String> lines)
            throws IOException {
        return csv(folder, name, lines, Field.text("key"), Field.text("value"));
    }

    static CsvSink csv(Path folder) {
        return new CsvSink(
                Target.file(folder.resolve("result").toString()),
                new CsvSource.Dialect(',', false));
    }

    /** The same, with more than one job graph. */
    ExampleJob iterating() {
        return new ExampleJob(plan, true, result, expected);
    }

    static ExampleJob of(Plan plan, Path folder, List<String> expected) {
        return new ExampleJob(plan, false, folder.resolve("result"), expected);
    }
}
