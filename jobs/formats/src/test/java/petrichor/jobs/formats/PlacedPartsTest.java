package petrichor.jobs.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.engine.Engine;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.jobgraph.Annotations;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.RangeBounds;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.jobgraph.TaskInput;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;

/** The subtasks of a sort write to one file, each at its own offset, so that nothing is copied. */
class PlacedPartsTest {
    private static final long SEED = Long.getLong("seed", System.nanoTime());
    private static final int PARTS = 3;
    private static final Key KEY = Key.of(0);
    private static final RecordType LINE = RecordType.of(Field.text("line"));

    @TempDir Path folder;

    @TempDir Path spill;

    /**
     * A sink that inspects the files before the commit.
     *
     * @param countedTooMuch bytes by which every predicted record size is too large
     */
    private record Watched(FileSink sink, List<Long> sizes, int countedTooMuch) implements Sink {
        private static final long serialVersionUID = 1L;

        @Override
        public String name() {
            return sink.name();
        }

        @Override
        public void check(RecordType type) {
            sink.check(type);
        }

        @Override
        public @Nullable RecordSize recordSize(RecordType type) {
            RecordSize size = sink.recordSize(type);
            return size == null ? null : record -> size.bytes(record) + countedTooMuch;
        }

        @Override
        public void begin(RecordType type, int subtasks) throws IOException {
            sink.begin(type, subtasks);
        }

        @Override
        public Writer open(RecordType type, int subtask) throws IOException {
            return sink.open(type, subtask);
        }

        @Override
        public void commit(int subtasks) throws IOException {
            for (int i = 0; i < subtasks; i++) {
                sizes.add(Files.size(sink.target().part(i, "")));
            }
            sink.commit(subtasks);
        }

        @Override
        public void abort(int subtasks) throws IOException {
            sink.abort(subtasks);
        }
    }

    @Test
    void sortedLinesAreWrittenAtTheirOffset() throws IOException {
        List<String> lines = lines();
        Path out = folder.resolve("out");
        for (Shipping shipping : List.of(byRange(), new Shipping.HashPartition(KEY))) {
            for (long memory : new long[] {1 << 20, 64 << 20}) {
                Watched sink = watched(new TextSink(Target.file(out.toString()).overwriting()));
                run(sink, shipping, memory);
                assertThat(sink.sizes).containsExactly(bytes(lines), 0L, 0L);
                List<String> written = Files.readAllLines(out);
                boolean inOrder = shipping instanceof Shipping.RangePartition;
                assertThat(inOrder ? written : written.stream().sorted().toList())
                        .as("seed " + SEED)
                        .isEqualTo(lines.stream().sorted().toList());
                assertThat(folder.toFile().list()).containsExactlyInAnyOrder("in", "out");
            }
        }
    }

    @Test
    void recordsOfFixedLengthAreWrittenAtTheirOffsetToo() throws IOException {
        List<String> lines = lines();
        Path out = folder.resolve("out");
        Watched sink =
                watched(
                        new FixedSink(
                                Target.file(out.toString()),
                                List.of(new FixedColumn(Field.text("line"), 100))));
        run(sink, byRange(), 64 << 20);
        assertThat(sink.sizes).containsExactly(100L * lines.size(), 0L, 0L);
        List<String> sorted = lines.stream().sorted().toList();
        byte[] all = Files.readAllBytes(out);
        for (int i = 0; i < sorted.size(); i++) {
            String record = new String(all, 100 * i, 100, StandardCharsets.US_ASCII);
            assertThat(record).startsWith(sorted.get(i)).endsWith("\0");
        }
    }

    @Test
    void unknownSizesAndFoldersAreWrittenInParts() throws IOException {
        List<String> sorted = lines().stream().sorted().toList();
        Path out = folder.resolve("out");
        Watched csv =
                watched(
                        new CsvSink(
                                Target.file(out.toString()), new CsvSource.Dialect(',', false)));
        run(csv, byRange(), 64 << 20);
        assertThat(csv.sizes).hasSize(PARTS).allMatch(size -> size > 0);
        assertThat(Files.readAllLines(out)).as("seed " + SEED).isEqualTo(sorted);
        Watched parts = watched(new TextSink(Target.folder(folder.resolve("parts").toString())));
        run(parts, byRange(), 64 << 20);
        assertThat(parts.sizes).hasSize(PARTS).allMatch(size -> size > 0);
        assertThat(Files.readAllLines(folder.resolve("parts").resolve("part-00000")))
                .isEqualTo(sorted.subList(0, lineCount("part-00000")));
    }

    @Test
    void aPartOfTheWrongLengthFailsTheJobAndLeavesNothing() throws IOException {
        lines();
        TextSink sink = new TextSink(Target.file(folder.resolve("out").toString()));
        for (int wrong : new int[] {-1, 1}) {
            assertThatThrownBy(
                            () ->
                                    run(
                                            new Watched(sink, new ArrayList<>(), wrong),
                                            byRange(),
                                            64 << 20))
                    .hasMessageContaining(
                            "a part of a file holds "
                                    + (wrong < 0 ? "more" : "less")
                                    + " than its senders have counted");
            assertThat(folder.toFile().list()).containsExactly("in");
        }
    }

    /** A repeated subtask finds the files of its earlier attempt, with or without an offset. */
    @Test
    void nothingOfAnEarlierAttemptStaysInTheResult() throws IOException {
        for (int attempt = 0; attempt < 4; attempt++) {
            boolean before = (attempt & 1) != 0;
            boolean after = (attempt & 2) != 0;
            Path out = folder.resolve("out" + attempt);
            TextSink sink = new TextSink(Target.file(out.toString()));
            sink.begin(LINE, 2);
            write(sink, 1, "a much longer line", before, 40, 59);
            write(sink, 0, "the first attempt, which is longer, too", before, 0, 59);
            // The second one opens its file last, when the other has written.
            write(sink, 1, "two", after, 4, 8);
            write(sink, 0, "one", after, 0, 8);
            sink.commit(2);
            assertThat(out).as("%s %s", before, after).hasContent("one\ntwo\n");
            assertThat(Files.size(out)).isEqualTo(8);
        }
    }

    private static void write(
            TextSink sink, int part, String line, boolean placed, long offset, long total)
            throws IOException {
        try (Sink.Writer writer = sink.open(LINE, part)) {
            if (placed) {
                writer.place(offset, line.length() + 1, total);
            }
            writer.write(new RecordBuilder(LINE).text(0, line).finish());
            writer.finish();
        }
    }

    private int lineCount(String part) throws IOException {
        try (Stream<String> lines = Files.lines(folder.resolve("parts").resolve(part))) {
            return (int) lines.count();
        }
    }

    private static Watched watched(FileSink sink) {
        return new Watched(sink, new ArrayList<>(), 0);
    }

    private static Shipping byRange() {
        return new Shipping.RangePartition(KEY, RangeBounds.sampled());
    }

    private static long bytes(List<String> lines) {
        return lines.stream().mapToLong(line -> line.length() + 1).sum();
    }

    private List<String> lines() throws IOException {
        List<String> lines =
                new Random(SEED)
                        .ints(60_000, 0, 30_000)
                        .mapToObj(i -> i + " " + "z".repeat(i % 90))
                        .toList();
        Files.write(folder.resolve("in"), lines);
        return lines;
    }

    private void run(Sink sink, Shipping shipping, long memory) {
        JobVertex read =
                new JobVertex(
                        1,
                        "read",
                        new Operation.Read(new TextSource(folder.resolve("in").toString())),
                        List.of(),
                        List.of(),
                        LINE,
                        Annotations.parallel(2));
        JobVertex write =
                new JobVertex(
                        2,
                        "write",
                        new Operation.Write(sink),
                        List.of(new TaskInput(LINE, new InputOrder.Sorted(KEY))),
                        List.of(),
                        null,
                        Annotations.parallel(PARTS));
        new Engine(new EngineOptions(memory, spill, Long.MAX_VALUE))
                .run(
                        new JobGraph(
                                "sort",
                                List.of(read, write),
                                List.of(new JobEdge(1, 2, 0, shipping, ChannelType.IN_MEMORY))));
    }
}
