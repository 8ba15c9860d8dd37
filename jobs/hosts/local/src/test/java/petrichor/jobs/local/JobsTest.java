package petrichor.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.formats.TextSource;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.ReduceCode;
import petrichor.jobs.records.Slice;
import petrichor.jobs.testkit.Rows;

/** Basic jobs: compiled, run, and compared with a direct computation. */
final class JobsTest {
    private static final RecordType WORD = RecordType.of(Field.text("word"), Field.int64("times"));
    private static final RecordType NUMBER = RecordType.of(Field.int64("number"));

    @TempDir Path folder;

    @Test
    void wordsAreCounted() throws IOException {
        var random = new Random(4711);
        var text = new StringBuilder();
        var expected = new TreeMap<String, Long>();
        for (int line = 0; line < 2_000; line++) {
            for (int i = 0; i < 8; i++) {
                var word = "w" + (int) Math.abs(random.nextGaussian() * 200);
                expected.merge(word, 1L, Long::sum);
                text.append(word).append(i < 7 ? " " : "\n");
            }
        }
        var file = Files.writeString(folder.resolve("lines.txt"), text);
        var sink = new Rows.ListSink("counts");
        var plan = Plan.named("word count").parallelism(2);
        plan.read(new TextSource(file.toString()))
                .map("words", WORD, words())
                .groupBy("word")
                .aggregate(Aggregate.sum(1))
                .write(sink);

        jobs().run(plan);

        assertThat(sink.sortedRows())
                .isEqualTo(
                        expected.entrySet().stream()
                                .map(entry -> "(" + entry.getKey() + ", " + entry.getValue() + ")")
                                .sorted()
                                .toList());
        assertThat(folder.toFile().list()).containsExactly("lines.txt");
    }

    /** Also with a combiner, whose input is in order as well. */
    @Test
    void theRecordsOfAGroupComeInTheRequestedOrder() throws IOException {
        var pair = RecordType.of(Field.int64("group"), Field.int64("value"));
        var text = new StringBuilder();
        new Random(4711).ints(20_000, 0, 1_000).forEach(i -> text.append(i).append('\n'));
        var file = Files.writeString(folder.resolve("numbers.txt"), text);
        ReduceCode inOrder =
                (group, out) -> {
                    long last = Long.MIN_VALUE;
                    for (var record : group) {
                        if (record.int64(1) < last) {
                            throw new IllegalStateException(record + " behind " + last);
                        }
                        last = record.int64(1);
                        out.emit(record);
                    }
                };
        for (boolean combined : new boolean[] {false, true}) {
            var sink = new Rows.ListSink("ordered");
            var plan = Plan.named("groups in order").parallelism(2);
            var grouping =
                    plan.read(new TextSource(file.toString()))
                            .map(
                                    "pairs",
                                    pair,
                                    (in, out) -> {
                                        long value = in.slice(0, new Slice()).parseInt64();
                                        out.record().int64(0, value % 7).int64(1, value).emit();
                                    })
                            .groupBy("group")
                            .inOrderOf("value");
            (combined ? grouping.combinedBy(inOrder) : grouping)
                    .reduce("check", pair, inOrder)
                    .write(sink);

            jobs().run(plan);

            assertThat(sink.sortedRows()).hasSize(20_000);
        }
    }

    private static MapCode words() {
        return (in, out) -> {
            var line = in.slice(0, new Slice());
            int begin = 0;
            for (int at = 0; at <= line.length(); at++) {
                if (at == line.length() || line.byteAt(at) == ' ') {
                    if (at > begin) {
                        out.record()
                                .bytes(0, line.base(), line.at() + begin, at - begin)
                                .int64(1, 1)
                                .emit();
                    }
                    begin = at + 1;
                }
            }
        };
    }

    /** The thesis' job (3.4): sort all numbers, take the smallest fifth, and their average. */
    @Test
    void theAverageOfTheSmallestFifth() {
        var random = new Random(42);
        var numbers = random.longs(5_000, 0, 1_000_000).boxed().toList();
        var records =
                Rows.of(NUMBER, numbers.size(), (builder, i) -> builder.int64(0, numbers.get(i)));
        var sink = new Rows.ListSink("average");
        var plan = Plan.named("smallest fifth").parallelism(2);
        plan.read(new Rows.ListSource("numbers", NUMBER, new ArrayList<>(records)))
                .sortBy(Key.of(0))
                .first(1_000)
                .aggregate(Aggregate.average(0), Aggregate.count())
                .write(sink);

        jobs().run(plan);

        double average =
                numbers.stream()
                        .sorted()
                        .limit(1_000)
                        .mapToLong(Long::longValue)
                        .average()
                        .orElseThrow();
        assertThat(sink.rows()).containsExactly("(" + average + ", 1000)");
    }

    @Test
    void allAreSortedAcrossSubtasks() {
        var random = new Random(43);
        var records =
                Rows.of(NUMBER, 20_000, (builder, _) -> builder.int64(0, random.nextInt(100_000)));
        var sink = new Rows.PartedSink("sorted");
        var plan = Plan.named("sort").parallelism(3);
        plan.read(new Rows.ListSource("numbers", NUMBER, new ArrayList<>(records)))
                .sortBy(Key.of(0))
                .write(sink);

        jobs().run(plan);

        var expected =
                records.stream()
                        .map(record -> record.int64(0))
                        .sorted()
                        .map(number -> "(" + number + ")")
                        .toList();
        assertThat(sink.inOrder()).isEqualTo(expected);
    }

    @Test
    void anIterationRunsUntilNothingIsOpen() {
        // Collatz: every number is followed to 1; the number of rounds is the longest path.
        var records = Rows.of(NUMBER, 30, (builder, i) -> builder.int64(0, i + 1));
        var sink = new Rows.ListSink("ends");
        var plan = Plan.named("collatz").parallelism(2);
        var loop =
                plan.iterate(
                        plan.read(new Rows.ListSource("numbers", NUMBER, new ArrayList<>(records))),
                        1_000);
        var next =
                loop.current()
                        .map(
                                "step",
                                NUMBER,
                                (in, out) -> {
                                    long n = in.int64(0);
                                    out.record()
                                            .int64(0, n == 1 ? 1 : n % 2 == 0 ? n / 2 : 3 * n + 1)
                                            .emit();
                                });
        var open = next.filter("above one", record -> record.int64(0) > 1);
        loop.closeWhile(next, open).groupBy("number").aggregate(Aggregate.count()).write(sink);

        var done = jobs().run(plan);

        assertThat(sink.rows()).containsExactly("(1, 30)");
        // 27 takes 111 steps; one run precedes the rounds and one follows.
        assertThat(done.runs()).hasSize(113);
        assertThat(folder.toFile().list()).isEmpty();
    }

    @Test
    void aFailureLeavesNothingAndNamesItsPosition() {
        var records = Rows.of(NUMBER, 10, (builder, i) -> builder.int64(0, i));
        var plan = Plan.named("broken").parallelism(2);
        plan.read(new Rows.ListSource("numbers", NUMBER, new ArrayList<>(records)))
                .map(
                        "divide",
                        NUMBER,
                        (in, out) -> out.record().int64(0, 10 / (in.int64(0) - 5)).emit())
                .write(new Rows.ListSink("never"));
        assertThatThrownBy(() -> jobs().run(plan))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("divide");
        assertThat(folder.toFile().list()).isEmpty();
    }

    private Jobs jobs() {
        return Jobs.local()
                .with(
                        EngineOptions.ofThisProcess()
                                .withMemoryBytes(64 << 20)
                                .withSpillFolder(folder));
    }
}
