package petrichor.jobs.parquet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.Engine;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.FieldType;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.testkit.Rows;

/** Parquet files written by Petrichor and by DuckDB, read by either. */
final class ParquetTest {
    private static final RecordType EVERY =
            RecordType.of(
                    Field.bool("bool"),
                    Field.int32("int32"),
                    Field.int64("int64"),
                    Field.float64("float64"),
                    Field.text("text"),
                    Field.bytes("bytes"));
    private static final long SEED = Long.getLong("seed", 4711);

    @TempDir Path folder;

    @Test
    void everyTypeRoundTrips() {
        var records = records(20_000);
        var target = folder.resolve("ours").toString();
        write(records, new ParquetSink(target));

        assertThat(read(ParquetSource.of(target, EVERY.fields().toArray(new Field[0]))))
                .as("seed %d", SEED)
                .isEqualTo(texts(records));
        assertThat(ParquetSource.allColumns(target).type()).isEqualTo(EVERY);
        assertThat(ParquetSource.allColumns(target).estimate().records()).isEqualTo(20_000);
    }

    @Test
    void columnsAreReadByNameInAnyOrder() {
        var target = folder.resolve("ours").toString();
        write(records(10), new ParquetSink(target));
        var all = read(ParquetSource.of(target, Field.int64("int64"), Field.bool("bool")));

        assertThat(all).hasSize(10).contains("(9223372036854775807, true)", "(null, null)");
    }

    @Test
    void duckDbReadsOurFiles() throws SQLException {
        write(records(20_000), new ParquetSink(folder.resolve("ours").toString()));

        var rows =
                sql(
                        "SELECT bool, int32, int64, float64, text, hex(bytes) FROM '%s/ours/*.parquet'"
                                .formatted(folder));
        var expected =
                records(20_000).stream()
                        .map(
                                r ->
                                        "(%s, %s, %s, %s, %s, %s)"
                                                .formatted(
                                                        r.isNull(0) ? null : r.bool(0),
                                                        r.isNull(1) ? null : r.int32(1),
                                                        r.isNull(2) ? null : r.int64(2),
                                                        r.isNull(3) ? null : r.float64(3),
                                                        r.isNull(4) ? null : r.text(4),
                                                        r.isNull(5) ? null : hex(r.bytes(5))))
                        .sorted()
                        .toList();
        assertThat(rows).as("seed %d", SEED).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"zstd", "snappy", "gzip", "lz4_raw", "uncompressed"})
    void filesOfDuckDbAreRead(String compression) throws IOException, SQLException {
        var file = folder.resolve("theirs.parquet");
        sql(
                """
                COPY (SELECT i %% 3 = 0 AS bool, i::INT AS int32, i * 1000000007 AS int64, i / 8 AS float64,
                        'text ' || i AS text, ('bytes ' || i)::BLOB AS bytes
                    FROM range(5000) t(i) UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL)
                TO '%s' (FORMAT parquet, COMPRESSION '%s', ROW_GROUP_SIZE 2048)
                """
                        .formatted(file, compression));
        var source = ParquetSource.of(file.toString(), EVERY.fields().toArray(new Field[0]));
        var expected =
                Rows.of(
                        EVERY,
                        5_001,
                        (r, i) -> {
                            if (i < 5_000) {
                                r.bool(0, i % 3 == 0)
                                        .int32(1, i)
                                        .int64(2, i * 1_000_000_007L)
                                        .float64(3, i / 8.0)
                                        .text(4, "text " + i)
                                        .bytes(5, ("bytes " + i).getBytes(UTF_8));
                            }
                        });

        assertThat(source.splits(1)).hasSizeGreaterThan(1);
        assertThat(read(source)).isEqualTo(texts(expected));
        assertThat(ParquetSource.allColumns(file.toString()).type()).isEqualTo(EVERY);
    }

    @Test
    void decimalsDatesAndTimesAreConverted() throws SQLException {
        var file = folder.resolve("theirs.parquet");
        sql(
                """
                COPY (SELECT 1234.56::DECIMAL(7, 2) AS small, -1234.5::DECIMAL(15, 2) AS middle,
                        1234567.25::DECIMAL(38, 2) AS large, DATE '1995-03-15' AS day,
                        TIMESTAMP '1970-01-01 00:00:01.5' AS time, 0.5::FLOAT AS float, 200::UTINYINT AS byte,
                        4000000000::UINTEGER AS word)
                TO '%s' (FORMAT parquet)
                """
                        .formatted(file));
        var source = ParquetSource.allColumns(file.toString());

        assertThat(source.type().fields().stream().map(Field::type))
                .containsExactly(
                        FieldType.FLOAT64,
                        FieldType.FLOAT64,
                        FieldType.FLOAT64,
                        FieldType.TEXT,
                        FieldType.INT64,
                        FieldType.FLOAT64,
                        FieldType.INT64,
                        FieldType.INT64);
        assertThat(read(source))
                .containsExactly(
                        "(1234.56, -1234.5, 1234567.25, 1995-03-15, 1500000, 0.5, 200,"
                                + " 4000000000)");
        assertThat(read(ParquetSource.of(file.toString(), Field.int32("day"))))
                .containsExactly("(9204)");
    }

    @Test
    void unsupportedColumnsAreNamedBeforeAnythingIsRead() throws SQLException {
        var file = folder.resolve("theirs.parquet");
        sql(
                "COPY (SELECT 1::BIGINT AS n, [1, 2] AS list) TO '%s' (FORMAT parquet)"
                        .formatted(file));

        assertRefused(file, Field.text("n"), "n");
        assertRefused(file, Field.int32("n"), "n");
        assertRefused(file, Field.int64("list"), "list");
        assertThatThrownBy(() -> ParquetSource.allColumns(file.toString()))
                .hasMessageContaining("list");
        assertRefused(file, Field.int64("m"), "has no column \"m\"; its columns are n, list");
    }

    private void assertRefused(Path file, Field field, String why) {
        assertThatThrownBy(() -> read(ParquetSource.of(file.toString(), field)))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining(why);
    }

    @Test
    void aFileThatIsNotParquetIsNamed() throws IOException {
        var file = Files.writeString(folder.resolve("words.txt"), "no columns here");

        assertThatThrownBy(() -> read(ParquetSource.of(file.toString(), Field.int64("n"))))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("words.txt");
    }

    @Test
    void aJobThatFailsLeavesNoFolder() {
        var plan = Plan.named("breaks").parallelism(2);
        plan.read(new Rows.ListSource("rows", EVERY, new ArrayList<>(records(1_000))))
                .map("break", EVERY, (in, out) -> out.record().int32(1, 1 / in.int32(1)).emit())
                .write(new ParquetSink(folder.resolve("never").toString()));

        assertThatThrownBy(() -> run(plan)).hasMessageContaining("break");
        assertThat(folder.toFile().list()).isEmpty();
    }

    @Test
    void anExistingFolderIsNotOverwritten() throws IOException {
        var target = Files.createDirectory(folder.resolve("there"));

        assertThatThrownBy(() -> write(records(1), new ParquetSink(target.toString())))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("there already exists");
        assertThat(target).isEmptyDirectory();
    }

    /** The last one is all null; the previous one has the extreme values. */
    private static List<RecordView> records(int count) {
        var random = new Random(SEED);
        return Rows.of(
                EVERY,
                count,
                (r, i) -> {
                    if (i == count - 2) {
                        r.bool(0, true)
                                .int32(1, Integer.MIN_VALUE)
                                .int64(2, Long.MAX_VALUE)
                                .float64(3, Double.NEGATIVE_INFINITY)
                                .text(4, "")
                                .bytes(5, new byte[0]);
                    } else if (i < count - 2) {
                        var bytes = new byte[random.nextInt(40)];
                        random.nextBytes(bytes);
                        r.int32(1, random.nextInt())
                                .float64(3, random.nextDouble())
                                .bytes(5, bytes);
                        if (i % 3 > 0) {
                            r.bool(0, i % 2 == 0).int64(2, random.nextLong());
                        }
                        if (i % 5 > 0) {
                            r.text(4, "Évora " + random.nextInt(100));
                        }
                    }
                });
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().withUpperCase().formatHex(bytes);
    }

    private static List<String> texts(List<RecordView> records) {
        return records.stream().map(RecordView::toString).sorted().toList();
    }

    private List<String> read(Source source) {
        var sink = new Rows.ListSink("read");
        var plan = Plan.named("read").parallelism(2);
        plan.read(source).write(sink);
        run(plan);
        return sink.sortedRows();
    }

    private void write(List<RecordView> records, ParquetSink sink) {
        var plan = Plan.named("write").parallelism(2);
        plan.read(new Rows.ListSource("rows", EVERY, new ArrayList<>(records))).write(sink);
        run(plan);
    }

    private void run(Plan plan) {
        var engine = new Engine(EngineOptions.ofThisProcess().withMemoryBytes(64 << 20));
        Compiler.standard().compile(plan).parts().forEach(part -> engine.run(part.graph()));
    }

    /** DuckDB's answer, with each row formatted like a record, sorted. */
    private static List<String> sql(String statement) throws SQLException {
        try (var connection = DriverManager.getConnection("jdbc:duckdb:");
                var query = connection.createStatement()) {
            var rows = new ArrayList<String>();
            if (query.execute(statement)) {
                try (var result = query.getResultSet()) {
                    int columns = result.getMetaData().getColumnCount();
                    while (result.next()) {
                        var row = new ArrayList<String>();
                        for (int i = 1; i <= columns; i++) {
                            row.add(String.valueOf(result.getObject(i)));
                        }
                        rows.add("(" + String.join(", ", row) + ")");
                    }
                }
            }
            rows.sort(null);
            return rows;
        }
    }
}
