package petrichor.jobs.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

class CsvTest {
    private static final long SEED = Long.getLong("seed", System.nanoTime());
    private static final CsvSource.Dialect COMMA = CsvSource.Dialect.COMMA;

    @TempDir Path folder;

    @Test
    void randomFilesAreReadAsDuckDbReadsThem() throws IOException, SQLException {
        Random random = new Random(SEED);
        RandomCsv csv = new RandomCsv(random);
        for (int round = 0; round < 60; round++) {
            Path files = Files.createDirectory(folder.resolve("in" + round));
            int columns = 2 + random.nextInt(4);
            Field[] fields = fields(columns);
            List<List<@Nullable String>> expected = new ArrayList<>();
            List<List<@Nullable String>> other = new ArrayList<>();
            for (int file = 0; file < 3; file++) {
                var rows = csv.rows(random.nextInt(30), columns);
                Path place = write(csv, files, file, rows, csv.permutation(columns), random);
                expected.addAll(rows);
                other.addAll(duckDb(place, columns));
            }
            CsvSource source = CsvSource.of(files.toString(), COMMA, fields);
            var found = read(source, source.splits(4));
            assertThat(found).as("seed " + SEED + " round " + round).isEqualTo(expected);
            assertThat(other).as("DuckDB, seed " + SEED).isEqualTo(expected);
        }
    }

    private Path write(
            RandomCsv csv,
            Path folder,
            int number,
            List<List<@Nullable String>> rows,
            List<Integer> order,
            Random random)
            throws IOException {
        List<List<@Nullable String>> all = new ArrayList<>();
        all.add(order.stream().<@Nullable String>map(i -> "c" + i).toList());
        for (var row : rows) {
            List<@Nullable String> permuted = new ArrayList<>();
            order.forEach(i -> permuted.add(row.get(i)));
            all.add(permuted);
        }
        String text = (random.nextBoolean() ? "\ufeff" : "") + csv.text(all, ',', true);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int form = random.nextInt(4);
        Path place = folder.resolve(number + ".csv" + List.of("", ".gz", ".zst", ".bz2").get(form));
        Files.write(place, compressed(form, bytes, random.nextInt(bytes.length + 1)));
        return place;
    }

    /** In two members or frames, as written by tools that append. */
    private static byte[] compressed(int form, byte[] bytes, int cut) throws IOException {
        if (form == 0) {
            return bytes;
        }
        var all = new ByteArrayOutputStream();
        for (int[] part : new int[][] {{0, cut}, {cut, bytes.length}}) {
            try (OutputStream out = compressor(form, all)) {
                out.write(bytes, part[0], part[1] - part[0]);
            }
        }
        return all.toByteArray();
    }

    private static OutputStream compressor(int form, OutputStream to) throws IOException {
        return switch (form) {
            case 1 -> new GZIPOutputStream(to);
            case 2 -> new ZstdOutputStreamNoFinalizer(to).setChecksum(true);
            case 3 -> new BZip2CompressorOutputStream(to);
            default -> throw new IllegalArgumentException();
        };
    }

    private List<List<@Nullable String>> duckDb(Path file, int columns)
            throws IOException, SQLException {
        // DuckDB has no bzip2.
        Path plain = folder.resolve("plain.csv");
        try (var in = new DecompressedInput(file.toString(), Compression.of(file))) {
            byte[] bytes = new byte[1 << 20];
            Files.write(plain, java.util.Arrays.copyOf(bytes, in.read(bytes, 0, bytes.length)));
        }
        List<List<@Nullable String>> rows = new ArrayList<>();
        try (var connection = DriverManager.getConnection("jdbc:duckdb:");
                var statement = connection.createStatement();
                var result =
                        statement.executeQuery(
                                "SELECT "
                                        + String.join(
                                                ",",
                                                IntStream.range(0, columns)
                                                        .mapToObj(i -> "c" + i)
                                                        .toList())
                                        + " FROM read_csv('"
                                        + plain
                                        + "', header=true, all_varchar=true, delim=',', quote='\"',"
                                        + " escape='\"', allow_quoted_nulls=false,"
                                        + " strict_mode=true)")) {
            while (result.next()) {
                List<@Nullable String> row = new ArrayList<>();
                for (int i = 1; i <= columns; i++) {
                    row.add(result.getString(i));
                }
                rows.add(row);
            }
        }
        return rows;
    }

    @Test
    void anySplitGivesTheWholeResultOrAnError() throws IOException {
        Random random = new Random(SEED);
        RandomCsv csv = new RandomCsv(random);
        int right = 0;
        int refused = 0;
        for (int round = 0; round < 40; round++) {
            int columns = 1 + random.nextInt(4);
            var rows = csv.rows(1 + random.nextInt(12), columns);
            Path file = folder.resolve("cut.csv");
            Files.writeString(file, csv.text(rows, ';', random.nextBoolean()));
            CsvSource source =
                    CsvSource.inOrder(
                            file.toString(), new CsvSource.Dialect(';', false), fields(columns));
            if (Files.size(file) == 0) { // one null without a line end
                assertThat(source.splits(1)).isEmpty();
                continue;
            }
            CsvSource.Part whole = (CsvSource.Part) source.splits(1).getFirst();
            var expected = read(source, List.of(whole));
            for (int cut = 1; cut < whole.bytes(); cut++) {
                try {
                    assertThat(read(source, List.of(part(whole, 0, cut), rest(whole, cut))))
                            .as("seed " + SEED + " round " + round + " cut at " + cut)
                            .isEqualTo(expected);
                    right++;
                } catch (PetrichorException e) {
                    assertThat(e).hasMessageContaining("asWholeFiles()");
                    refused++;
                }
            }
        }
        assertThat(right).as("seed " + SEED).isGreaterThan(4 * refused);
    }

    @Test
    void aLongFileOfQuotedLineEndsIsReadInParts() throws IOException {
        Path file = folder.resolve("long.csv");
        StringBuilder text = new StringBuilder("id,text\n");
        for (int i = 0; i < 60_000; i++) {
            text.append(i)
                    .append(",\"first line ")
                    .append(i)
                    .append("\nsecond, \"\"line\"\"\n\"\n");
        }
        Files.writeString(file, text);
        CsvSource source =
                CsvSource.of(file.toString(), COMMA, Field.text("text"), Field.int64("id"));
        var splits = source.splits(16);
        assertThat(splits).hasSizeGreaterThan(2);
        var records = Reading.all(source, splits);
        assertThat(records).hasSize(60_000);
        for (int i = 0; i < records.size(); i++) {
            assertThat(records.get(i).int64(1)).isEqualTo(i);
            assertThat(records.get(i).text(0))
                    .isEqualTo("first line " + i + "\nsecond, \"line\"\n");
        }
    }

    @Test
    void ambiguousTextIsRefusedInPartsAndReadAsAWhole() throws IOException {
        Path file = folder.resolve("deceptive.csv");
        // Within the quotes there are only lines without quotes: a reader cannot infer its
        // position.
        String text = "1,2\n".repeat(600_000);
        Files.writeString(file, "id,text\n1,\"" + text + "\"\n2,x\n");
        CsvSource source =
                CsvSource.of(file.toString(), COMMA, Field.int64("id"), Field.text("text"));
        assertThatThrownBy(() -> Reading.all(source, source.splits(4)))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("cannot be read in parts")
                .hasMessageContaining("deceptive.csv");
        CsvSource wholes = source.asWholeFiles();
        var records = Reading.all(wholes, wholes.splits(4));
        assertThat(records).hasSize(2);
        assertThat(records.getFirst().text(1)).isEqualTo(text);
    }

    @Test
    void theSinksOutputIsReadBackAndByDuckDb() throws IOException, SQLException {
        Random random = new Random(SEED);
        for (int round = 0; round < 40; round++) {
            int columns = 2 + random.nextInt(3);
            var rows = new RandomCsv(random).rows(random.nextInt(40), columns);
            RecordType type = RecordType.of(fields(columns));
            Path file = folder.resolve("out" + round + ".csv");
            Sink sink = new CsvSink(Target.file(file.toString()), COMMA);
            sink.begin(type, 1);
            try (Sink.Writer writer = sink.open(type, 0)) {
                for (var row : rows) {
                    writer.write(record(type, row));
                }
                writer.finish();
            }
            sink.commit(1);
            CsvSource source = CsvSource.of(file.toString(), COMMA, fields(columns));
            assertThat(read(source, source.splits(1))).as("seed " + SEED).isEqualTo(rows);
            assertThat(duckDb(file, columns)).as("DuckDB, seed " + SEED).isEqualTo(rows);
        }
    }

    @Test
    void columnsAreFoundByNameInEachFileOfAFolder() throws IOException {
        Files.writeString(folder.resolve("a.csv"), "country,amount\nDE,1\n");
        Files.writeString(folder.resolve("b.csv"), "amount,id,\"country\"\r\n2,x,FR\r\n");
        CsvSource source =
                CsvSource.of(
                        folder.toString(), COMMA, Field.int64("amount"), Field.text("country"));
        assertThat(Reading.shown(source, 1)).containsExactly("(1, DE)", "(2, FR)");
        CsvSource first = CsvSource.inOrder(folder.toString(), COMMA, Field.text("first"));
        assertThat(Reading.shown(first, 1)).containsExactly("(DE)", "(2)");
    }

    @Test
    void aMissingColumnIsAnErrorBeforeAnyRecordIsRead() throws IOException {
        Files.writeString(folder.resolve("a.csv"), "country,amount\nDE,1\n");
        Files.writeString(folder.resolve("b.csv"), "id,country,amuont\n1,FR,2\n");
        CsvSource source = CsvSource.of(folder.toString(), COMMA, Field.int64("amount"));
        assertThatThrownBy(() -> source.splits(1))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("b.csv has no column \"amount\"; did you mean \"amuont\"?")
                .hasMessageContaining("Its header names id, country, amuont");
        Files.writeString(folder.resolve("b.csv"), "amount,amount\n1,2\n");
        assertThatThrownBy(() -> source.splits(1))
                .hasMessageContaining("b.csv has several columns \"amount\"");
        assertThatThrownBy(
                        () ->
                                new CsvSource(
                                        "x",
                                        CsvSource.Dialect.BAR,
                                        new CsvColumns.Named(List.of(Field.text("a"))),
                                        false))
                .hasMessageContaining("no header");
    }

    @Test
    void nullAndEmptyTextAreDifferent() throws IOException {
        Path file = folder.resolve("n.csv");
        Files.writeString(file, "a,b,n\n,\"\",\n\"\",,\"\"\n\n\n");
        CsvSource source =
                CsvSource.of(
                        file.toString(), COMMA, Field.text("a"), Field.text("b"), Field.int64("n"));
        assertThat(Reading.shown(source, 1)).containsExactly("(null, , null)", "(, null, null)");
        Files.writeString(file, "a\n\n\"\"\nx\n");
        CsvSource single = CsvSource.of(file.toString(), COMMA, Field.text("a"));
        assertThat(Reading.shown(single, 1)).containsExactly("(null)", "()", "(x)");
    }

    @Test
    void unclosedQuotesAndTextAfterQuotesAreRefused() throws IOException {
        Path file = folder.resolve("q.csv");
        CsvSource source = CsvSource.of(file.toString(), COMMA, Field.text("a"), Field.text("b"));
        Files.writeString(file, "a,b\nx,\"open\nand on\n");
        assertThatThrownBy(() -> Reading.shown(source, 1))
                .hasMessageContaining("a quote opens at byte 6 and is not closed");
        Files.writeString(file, "a,b\n\"x\"y,z\n");
        assertThatThrownBy(() -> Reading.shown(source, 1))
                .hasMessageContaining("text follows a closing quote: '\"x\"y,z'");
        Files.writeString(file, "a,b\n5\" pipe,6\"\n");
        assertThat(Reading.shown(source, 1)).containsExactly("(5\" pipe, 6\")");
    }

    @Test
    void aLineLongerThanTheHeaderIsRefusedWithItsNumber() throws IOException {
        Path file = folder.resolve("long.csv");
        StringBuilder text = new StringBuilder("id,name,town,note\n");
        for (int i = 0; i < 5_000; i++) {
            text.append(i).append(",\"a\nb\",Ulm,").append("x".repeat(i % 40)).append('\n');
        }
        Files.writeString(file, text + "5000,Smith, John,Ulm,y\n");
        for (Field[] fields :
                List.of(
                        new Field[] {Field.int64("id")},
                        new Field[] {Field.text("note"), Field.text("town")})) {
            CsvSource source = CsvSource.of(file.toString(), COMMA, fields);
            for (int splits : List.of(1, 4)) {
                assertThatThrownBy(() -> Reading.shown(source, splits))
                        .isInstanceOf(PetrichorException.class)
                        .hasMessageStartingWith(
                                "line 10002 of "
                                        + file
                                        + " has 5 columns, but the header has 4: put values");
            }
        }
        Files.writeString(file, text + "5000,\"Smith, John\",Ulm,y\n");
        assertThat(Reading.shown(CsvSource.of(file.toString(), COMMA, Field.text("name")), 1))
                .hasSize(5_001)
                .endsWith("(Smith, John)");
        Files.writeString(file, "a,b\n1,\"2\",\"3\"\n");
        assertThatThrownBy(
                        () ->
                                Reading.shown(
                                        CsvSource.of(file.toString(), COMMA, Field.text("a")), 1))
                .hasMessageContaining("line 2 of " + file + " has 3 columns");
        assertThat(Reading.shown(CsvSource.inOrder(file.toString(), COMMA, Field.text("a")), 1))
                .containsExactly("(1)");
    }

    @Test
    void estimatesComeFromASample() throws IOException {
        StringBuilder text = new StringBuilder("id,text\n");
        for (int i = 0; i < 100_000; i++) {
            text.append(1_000_000 + i).append(",some text of a length\n");
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        for (int form = 0; form < 4; form++) {
            Path file = folder.resolve("big" + List.of("", ".gz", ".zst", ".bz2").get(form));
            Files.write(file, compressed(form, bytes, bytes.length / 2));
            CsvSource source = CsvSource.of(file.toString(), COMMA, Field.int64("id"));
            // A block of bzip2 is decompressed at once, which makes its sample coarse.
            assertThat(source.estimate().records())
                    .isBetween(form == 0 ? 90_000L : 40_000L, 130_000L);
            assertThat((double) source.estimate().bytes() / source.estimate().records())
                    .isBetween(8.0, 32.0);
            assertThat(source.inputBytes()).isEqualTo(Files.size(file));
        }
    }

    private static CsvSource.Part part(CsvSource.Part whole, long from, long to) {
        return new CsvSource.Part(
                whole.file().part(from, to), whole.indexes(), whole.skipsBlank(), whole.width());
    }

    private static CsvSource.Part rest(CsvSource.Part whole, long from) {
        return part(whole, from, whole.file().size());
    }

    private static Field[] fields(int count) {
        return IntStream.range(0, count).mapToObj(i -> Field.text("c" + i)).toArray(Field[]::new);
    }

    private static RecordView record(RecordType type, List<@Nullable String> row) {
        RecordBuilder builder = new RecordBuilder(type).start();
        for (int i = 0; i < row.size(); i++) {
            String value = row.get(i);
            if (value != null) {
                builder.text(i, value);
            }
        }
        return builder.finish();
    }

    private static List<List<@Nullable String>> read(
            CsvSource source, List<? extends Source.Split> splits) throws IOException {
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (RecordView record : Reading.all(source, List.copyOf(splits))) {
            List<@Nullable String> row = new ArrayList<>();
            for (int i = 0; i < record.type().size(); i++) {
                row.add(record.isNull(i) ? null : record.text(i));
            }
            rows.add(row);
        }
        return rows;
    }
}
