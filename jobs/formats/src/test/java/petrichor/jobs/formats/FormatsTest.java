package petrichor.jobs.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

class FormatsTest {
    private static final long SEED = Long.getLong("seed", System.nanoTime());

    @TempDir Path folder;

    @Test
    void anySplitReadsEachLineOnce() throws IOException {
        Random random = new Random(SEED);
        Path file = folder.resolve("lines");
        for (int round = 0; round < 200; round++) {
            List<String> lines = new ArrayList<>();
            StringBuilder text = new StringBuilder();
            int count = random.nextInt(8);
            for (int i = 0; i < count; i++) {
                String line = "x".repeat(random.nextInt(12)) + i;
                lines.add(line);
                text.append(line).append(random.nextBoolean() ? "\n" : "\r\n");
            }
            if (random.nextBoolean()) {
                lines.add("last");
                text.append("last");
            }
            Files.writeString(file, text);
            long size = Files.size(file);
            List<Source.Split> splits = new ArrayList<>();
            for (long from = 0; from < size; ) {
                long to = Math.min(size, from + 1 + random.nextInt(20));
                splits.add(new FileSplit(file.toString(), from, to, size, Compression.NONE));
                from = to;
            }
            assertThat(
                            Reading.all(new TextSource(file.toString()), splits).stream()
                                    .map(r -> r.text(0)))
                    .as("seed " + SEED + ": " + splits)
                    .isEqualTo(lines);
        }
    }

    @Test
    void aLongFileOfLongLinesIsReadCompletely() throws IOException {
        Path file = folder.resolve("long");
        List<String> lines =
                IntStream.range(0, 60).mapToObj(i -> i + "y".repeat(i * 12_345)).toList();
        Files.write(file, lines);
        Source source = new TextSource(file.toString());
        for (int splits : new int[] {1, 3, 40}) {
            assertThat(Reading.all(source, source.splits(splits)).stream().map(r -> r.text(0)))
                    .isEqualTo(lines);
        }
    }

    @Test
    void onlyNamedColumnsAreReadAndQuotedValuesAreText() throws IOException {
        Path file = folder.resolve("some.csv");
        Files.writeString(
                file,
                """
                name,height,"weird, name",ripe,grams
                apple,1.5,a,true,7
                "pear, ""green""\",,b,false,
                ,-0.25,"c,d",1,-9223372036854775808
                """);
        CsvSource source =
                CsvSource.byPosition(
                        file.toString(),
                        CsvSource.Dialect.COMMA,
                        List.of(
                                new CsvColumn(0, Field.text("name")),
                                new CsvColumn(1, Field.float64("height")),
                                new CsvColumn(3, Field.bool("ripe")),
                                new CsvColumn(4, Field.int64("grams"))));
        assertThat(Reading.shown(source, 1))
                .containsExactly(
                        "(apple, 1.5, true, 7)",
                        "(pear, \"green\", null, false, null)",
                        "(null, -0.25, true, -9223372036854775808)");
    }

    @Test
    void theLastColumnIsFound() throws IOException {
        Random random = new Random(SEED);
        Path file = folder.resolve("columns");
        int columns = 12;
        List<CsvColumn> wanted = new ArrayList<>();
        for (int index = 0; index < columns; index++) {
            if (random.nextInt(3) == 0) {
                wanted.add(new CsvColumn(index, Field.text("c" + index)));
            }
        }
        wanted.add(new CsvColumn(columns, Field.text("last")));
        StringBuilder text = new StringBuilder();
        List<List<String>> expected = new ArrayList<>();
        for (int line = 0; line < 500; line++) {
            List<String> values = new ArrayList<>();
            for (int index = 0; index <= columns; index++) {
                boolean quoted = random.nextInt(20) == 0;
                String value = "v".repeat(random.nextInt(11)) + (quoted ? "|q" : "");
                values.add(value);
                text.append(index == 0 ? "" : "|");
                text.append(quoted ? "\"" + value + "\"" : value);
            }
            text.append('\n');
            expected.add(wanted.stream().map(column -> values.get(column.index())).toList());
        }
        Files.writeString(file, text);
        CsvSource source = CsvSource.byPosition(file.toString(), CsvSource.Dialect.BAR, wanted);
        List<List<String>> found =
                Reading.all(source, source.splits(1)).stream()
                        .map(
                                record ->
                                        IntStream.range(0, wanted.size())
                                                .mapToObj(record::text)
                                                .toList())
                        .toList();
        assertThat(found).as("seed " + SEED).isEqualTo(expected);
    }

    @Test
    void anInvalidLineIsRefusedWithItsColumn() throws IOException {
        Path file = folder.resolve("bad.tbl");
        CsvSource source =
                CsvSource.of(
                        file.toString(),
                        CsvSource.Dialect.BAR,
                        Field.int64("id"),
                        Field.int32("size"));
        Files.writeString(file, "1|2|\n3|four|\n");
        assertThatThrownBy(() -> Reading.shown(source, 1))
                .isInstanceOf(PetrichorException.class)
                .hasMessage("column 1 (size): 'four' is not a whole number");
        Files.writeString(file, "1|2|\n3\n");
        assertThatThrownBy(() -> Reading.shown(source, 1))
                .hasMessageMatching("line \\d+ of .* has 1 columns, but not column size");
        Files.writeString(file, "1|99999999999|\n");
        assertThatThrownBy(() -> Reading.shown(source, 1)).hasMessageContaining("does not fit");
    }

    @Test
    void recordsOfFixedLengthRoundTrip() throws IOException {
        List<FixedColumn> columns =
                List.of(
                        new FixedColumn(Field.text("key"), 10),
                        new FixedColumn(Field.int64("n"), 8),
                        new FixedColumn(Field.float64("f"), 8),
                        new FixedColumn(Field.bool("b"), 1));
        Path file = folder.resolve("fixed");
        FixedSink sink = new FixedSink(Target.file(file.toString()), columns);
        FixedSource source = new FixedSource(file.toString(), columns);
        List<RecordView> records = new ArrayList<>();
        RecordBuilder builder = new RecordBuilder(source.type());
        for (int i = 0; i < 200_000; i++) {
            records.add(
                    builder.start()
                            .text(0, "k" + (i + 100_000_000L))
                            .int64(1, i)
                            .float64(2, i / 2.0)
                            .bool(3, i % 2 == 0)
                            .finish()
                            .copy());
        }
        write(sink, source.type(), records, 3);
        assertThat(Files.size(file)).isEqualTo(200_000L * 27);
        List<String> expected = records.stream().map(RecordView::toString).toList();
        assertThat(Reading.shown(source, 5)).isEqualTo(expected);
        assertThat(source.estimate().records()).isEqualTo(200_000);
        Files.write(file, new byte[30]);
        assertThatThrownBy(() -> Reading.shown(source, 1)).hasMessageContaining("3 are left");
    }

    @Test
    void csvReadsItsOwnOutput() throws IOException {
        RecordType type =
                RecordType.of(
                        Field.text("t"), Field.int64("n"), Field.float64("f"), Field.bool("b"));
        RecordBuilder builder = new RecordBuilder(type);
        List<RecordView> records =
                List.of(
                        builder.text(0, "plain").int64(1, Long.MIN_VALUE).finish().copy(),
                        builder.start().text(0, "a,\"b\"").float64(2, 0.1).finish().copy(),
                        builder.start().text(0, "").int64(1, 0).bool(3, true).finish().copy(),
                        builder.start().text(0, "é").int64(1, 120).bool(3, false).finish().copy());
        Path file = folder.resolve("out.csv");
        write(new CsvSink(Target.file(file.toString()), CsvSource.Dialect.COMMA), type, records, 2);
        assertThat(Files.readAllLines(file).getFirst()).isEqualTo("t,n,f,b");
        Source source =
                CsvSource.of(
                        file.toString(),
                        CsvSource.Dialect.COMMA,
                        type.fields().toArray(new Field[0]));
        assertThat(Reading.shown(source, 1))
                .isEqualTo(records.stream().map(RecordView::toString).toList());
    }

    @Test
    void aFolderHoldsAFilePerSubtask() throws IOException {
        RecordType line = RecordType.of(Field.text("line"));
        Path out = folder.resolve("out");
        List<RecordView> records =
                IntStream.range(0, 10)
                        .mapToObj(i -> new RecordBuilder(line).text(0, "l" + i).finish().copy())
                        .toList();
        write(new TextSink(Target.folder(out.toString())), line, records, 3);
        assertThat(out.resolve("part-00002")).exists();
        assertThat(Reading.shown(new TextSource(out.toString()), 4)).hasSize(10);
        assertThat(folder.toFile().list()).containsExactly("out");
    }

    @Test
    void anAbortedSinkLeavesNothingAndATargetIsNotOverwritten() throws IOException {
        RecordType line = RecordType.of(Field.text("line"));
        for (Target target :
                List.of(
                        Target.file(folder.resolve("a").toString()),
                        Target.folder(folder.resolve("b").toString()))) {
            TextSink sink = new TextSink(target);
            sink.begin(line, 2);
            try (Sink.Writer writer = sink.open(line, 1)) {
                writer.write(new RecordBuilder(line).text(0, "x").finish());
            }
            sink.abort(2);
            assertThat(folder).isEmptyDirectory();
        }
        Path taken = Files.createFile(folder.resolve("taken"));
        assertThatThrownBy(() -> new TextSink(Target.file(taken.toString())).begin(line, 1))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("taken already exists")
                .hasMessageContaining(".overwriting()");
    }

    @Test
    void aFullDiskIsReported() throws IOException {
        try (FileOutput full = new FileOutput(Path.of("/dev/full"))) {
            byte[] much = new byte[1 << 20];
            assertThatThrownBy(() -> full.write(much, 0, much.length))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("No space left");
        }
    }

    private static void write(Sink sink, RecordType type, List<RecordView> records, int subtasks)
            throws IOException {
        sink.check(type);
        sink.begin(type, subtasks);
        for (int i = 0; i < subtasks; i++) {
            try (Sink.Writer writer = sink.open(type, i)) {
                int from = records.size() * i / subtasks;
                for (RecordView record :
                        records.subList(from, records.size() * (i + 1) / subtasks)) {
                    writer.write(record);
                }
                writer.finish();
            }
        }
        sink.commit(subtasks);
    }
}
