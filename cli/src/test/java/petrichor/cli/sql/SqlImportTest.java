package petrichor.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cli.CommandRun;

/** Tests {@code petrichor sql import} at a real server. */
@Timeout(120)
final class SqlImportTest {
    private static SqlServer server;

    @TempDir private Path folder;

    @BeforeAll
    static void start() throws IOException {
        server = SqlServer.start(Map.of());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private CommandRun load(String name, String text, String... more) throws IOException {
        Path file = Files.writeString(folder.resolve(name), text);
        String[] words = new String[more.length + 2];
        words[0] = "import";
        words[1] = file.toString();
        System.arraycopy(more, 0, words, 2, more.length);
        return server.sql(words);
    }

    private static String csv(String query) {
        CommandRun run = server.sql("--format", "csv", "-c", query);
        assertThat(run.code()).as(run.err()).isZero();
        return run.out();
    }

    private static String types(String table) {
        return csv(
                "SELECT column_name, data_type FROM information_schema.columns WHERE table_name ="
                        + " '"
                        + table
                        + "' ORDER BY ordinal_position");
    }

    @Test
    void typesAreInferred() throws IOException {
        CommandRun run =
                load(
                        "places.csv",
                        """
                        id,name,zip,lat,day,at,ok
                        1,Braga,0815,41.5,2026-01-02,2026-01-02T10:00:00Z,true
                        2,"a ""b""
                        c",,-23,,,
                        """,
                        "--table",
                        "place",
                        "--key",
                        "id");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.err()).contains("imported 2 rows into place, which was created");
        assertThat(types("place"))
                .contains("id,bigint", "name,text", "zip,text", "lat,double precision")
                .contains("day,date", "at,timestamp with time zone", "ok,boolean");
        assertThat(csv("SELECT zip, lat, ok, \"day\" FROM place ORDER BY id"))
                .isEqualTo("zip,lat,ok,day\n0815,41.5,t,2026-01-02\n,-23,,\n");
        assertThat(csv("SELECT name FROM place WHERE id = 2"))
                .isEqualTo("name\n\"a \"\"b\"\"\nc\"\n");
    }

    @Test
    void anImportStopsAtABadRowAndContinuesThere() throws IOException {
        server.sql("-c", "CREATE TABLE number (Id int PRIMARY KEY, word text)");
        String rows =
                IntStream.rangeClosed(1, 2_500)
                        .mapToObj(i -> i == 1_777 ? "x,bad" : i + ",w" + i)
                        .collect(Collectors.joining("\n"));
        CommandRun stopped = load("n.csv", "ID,word\n" + rows + "\n", "--table", "number");
        assertThat(stopped.code()).isEqualTo(1);
        assertThat(stopped.err()).contains("n.csv:1778: 22", "--from 1778");
        assertThat(csv("SELECT count(*) AS n FROM number")).isEqualTo("n\n1776\n");
        CommandRun resumed =
                load(
                        "n.csv",
                        "ID,word\n" + rows.replace("x,bad", "1777,good") + "\n",
                        "--table",
                        "number",
                        "--from",
                        "1778",
                        "--json");
        assertThat(resumed.out())
                .as(resumed.err())
                .contains("\"rows\":724", "\"rejected\":0", "\"outcome\":\"done\"");
        assertThat(csv("SELECT count(*) AS n FROM number")).isEqualTo("n\n2500\n");
    }

    @Test
    void rejectedRowsAreSetAside() throws IOException {
        Path rejects = folder.resolve("rejects.csv");
        server.sql("-c", "CREATE TABLE person (id int PRIMARY KEY, name text NOT NULL)");
        CommandRun run =
                load(
                        "p.csv",
                        "id,name\n1,Ada\n1,Bob\nx,Cid\n2,\n3,Eve,more\n4,Fay\n",
                        "--table",
                        "person",
                        "--rejects",
                        rejects.toString());
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .contains("p.csv:3: 23505", "p.csv:4: 22", "p.csv:5: 23502")
                .contains("p.csv:6: 3 values for 2 columns", "4 rows were rejected");
        assertThat(rejects).hasContent("1,Bob\nx,Cid\n2,\n3,Eve,more\n");
        assertThat(csv("SELECT id FROM person ORDER BY 1")).isEqualTo("id\n1\n4\n");
    }

    @Test
    void jsonLinesMayLackMembers() throws IOException {
        Path file = folder.resolve("events.jsonl.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            String lines = "{\"a\":1,\"b\":{\"c\":[1]}}\n\n{\"a\":2,\"d\":\"x\\ty\"}\n";
            out.write(lines.getBytes(StandardCharsets.UTF_8));
        }
        CommandRun run = server.sql("import", file.toString(), "--table", "event");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(types("event")).contains("a,bigint", "b,jsonb", "d,text");
        assertThat(csv("SELECT a, d FROM event ORDER BY a")).isEqualTo("a,d\n1,\n2,x\ty\n");
    }

    @Test
    void parquetColumnsKeepTheirMeaning() throws IOException {
        MessageType schema =
                MessageTypeParser.parseMessageType(
                        "message m { required int64 id; optional binary name (STRING); optional"
                                + " int32 day (DATE); optional int32 price (DECIMAL(9,2)); optional"
                                + " int64 at (TIMESTAMP(MILLIS,true)); }");
        Path file = folder.resolve("p.parquet");
        try (ParquetWriter<org.apache.parquet.example.data.Group> writer =
                ExampleParquetWriter.builder(new LocalOutputFile(file))
                        .withConf(new PlainParquetConfiguration())
                        .withType(schema)
                        .build()) {
            SimpleGroup full = new SimpleGroup(schema);
            full.append("id", 1L).append("name", "Évora").append("day", 1).append("price", 1234);
            full.append("at", 1_500L);
            writer.write(full);
            SimpleGroup sparse = new SimpleGroup(schema);
            sparse.append("id", 2L);
            writer.write(sparse);
        }
        CommandRun run = server.sql("import", file.toString(), "--table", "sale");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(csv("SELECT id, name, \"day\", price FROM sale ORDER BY id"))
                .isEqualTo("id,name,day,price\n1,Évora,1970-01-02,12.34\n2,,,\n");
        assertThat(csv("SELECT count(*) AS n FROM sale WHERE at = '1970-01-01 00:00:01.5+00'"))
                .isEqualTo("n\n1\n");
    }

    @Test
    void theTableIsPreparedAsAsked() throws IOException {
        assertThat(load("t.csv", "a\n1\n", "--table", "t", "--create").code()).isZero();
        assertThat(load("t.csv", "a\n1\n", "--table", "t", "--create").code()).isEqualTo(3);
        assertThat(load("t.csv", "a\n2\n", "--table", "t", "--truncate").code()).isZero();
        assertThat(csv("SELECT a FROM t")).isEqualTo("a\n2\n");
        assertThat(load("t.csv", "3\n", "--table", "t", "--no-header", "--columns", "a").code())
                .isZero();
        assertThat(csv("SELECT count(*) AS n FROM t")).isEqualTo("n\n2\n");
        CommandRun unknown = load("t.csv", "b\n3\n", "--table", "t");
        assertThat(unknown.code()).isEqualTo(4);
        assertThat(unknown.err()).contains("the table t has no column b; it has a");
        assertThat(load("t.csv", "a\n1\n", "--table", "none", "--truncate").code()).isEqualTo(4);
        assertThat(load("t.csv", "a,a\n1,1\n", "--table", "twice").err()).contains("a name twice");
        assertThat(load("t.txt", "a\n", "--table", "t").err()).contains("has no known format");
        assertThat(load("t.csv", "a\n", "--table", "t", "--create", "--truncate").code())
                .isEqualTo(2);
    }
}
