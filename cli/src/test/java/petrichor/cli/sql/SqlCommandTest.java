package petrichor.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cli.CommandRun;

/** Tests scripts and results of {@code petrichor sql} at a real server. */
@Timeout(120)
final class SqlCommandTest {
    private static SqlServer server;

    @TempDir private Path folder;

    @BeforeAll
    static void start() throws IOException {
        server = SqlServer.start(Map.of());
        CommandRun made =
                server.sqlWithInput(
                        """
                        CREATE TABLE city (id int PRIMARY KEY, name text NOT NULL, people bigint);
                        COPY city FROM stdin;
                        1\tBraga\t193000
                        2\tSão Paulo\t\\N
                        \\.
                        CREATE TABLE street (
                            id int PRIMARY KEY, city int REFERENCES city(id), name text UNIQUE);
                        """);
        assertThat(made.code()).as(made.err()).isZero();
        assertThat(made.err()).contains("CREATE TABLE", "COPY 2");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void tablesLookLikeThoseOfPsql() {
        assertThat(server.sql("-c", "SELECT * FROM city ORDER BY id").out())
                .isEqualTo(
                        """
                         id |   name    | people
                        ----+-----------+--------
                          1 | Braga     | 193000
                          2 | São Paulo |
                        (2 rows)

                        """);
        assertThat(server.sql("-c", "\\x", "-c", "SELECT * FROM city WHERE id = 1").out())
                .contains("-[ RECORD 1 ]", "name   | Braga\n");
    }

    @Test
    void csvTellsNullFromAnEmptyText() {
        assertThat(
                        server.sql(
                                        "--format",
                                        "csv",
                                        "-c",
                                        "SELECT '' AS a, 'x,\"y' AS b, people FROM city WHERE id ="
                                                + " 2")
                                .out())
                .isEqualTo("a,b,people\n\"\",\"x,\"\"y\",\n");
        assertThat(server.sql("--format", "csv", "-c", "SELECT NULL AS a, '' AS b").out())
                .isEqualTo("a,b\n,\"\"\n");
    }

    @Test
    void jsonIsOneDocumentAlsoAfterAnError() {
        CommandRun run =
                server.sql(
                        "--json",
                        "-c",
                        "SELECT id, id, name, people, true AS yes FROM city WHERE id = 2; SELECT *"
                                + " FROM citi; SELECT 1");
        assertThat(run.code()).isEqualTo(4);
        JsonArray all = JsonParser.parseString(run.out()).getAsJsonArray();
        assertThat(all).hasSize(2);
        assertThat(all.get(0).getAsJsonObject().get("rows"))
                .isEqualTo(
                        JsonParser.parseString(
                                "[{\"id\":2,\"id_2\":2,\"name\":\"São"
                                        + " Paulo\",\"people\":null,\"yes\":true}]"));
        assertThat(
                        all.get(1)
                                .getAsJsonObject()
                                .getAsJsonObject("error")
                                .get("sqlState")
                                .getAsString())
                .isEqualTo("42P01");
        assertThat(server.sql("--format", "jsonl", "-c", "SELECT id FROM city ORDER BY 1").out())
                .isEqualTo("{\"id\":1}\n{\"id\":2}\n");
        assertThat(server.sql("--json", "-c", "-- nothing").out()).isEqualTo("[]\n");
    }

    @Test
    void scriptsStopAtTheFirstErrorUnlessTheyKeepGoing() throws IOException {
        Path script =
                Files.writeString(
                        folder.resolve("script.sql"),
                        """
                        SELECT 1 AS first;
                        INSERT INTO city VALUES (1, 'x', 1);
                        SELECT 2 AS later;
                        """);
        CommandRun stopped = server.sql("-f", script.toString());
        assertThat(stopped.code()).isEqualTo(3);
        assertThat(stopped.out()).contains("first").doesNotContain("later");
        assertThat(stopped.err()).contains("script.sql:2: ERROR 23505: ");
        CommandRun whole = server.sql("-f", script.toString(), "--keep-going");
        assertThat(whole.code()).isEqualTo(3);
        assertThat(whole.out()).contains("later");
    }

    @Test
    void aFailedTransactionLeavesNothing() {
        CommandRun run =
                server.sqlWithInput(
                        "BEGIN; INSERT INTO city VALUES (9, 'Faro', 1); SELECT 1/0; COMMIT;",
                        "--keep-going");
        assertThat(run.err()).contains("ERROR 22012", "ROLLBACK").doesNotContain("COMMIT");
        assertThat(server.sql("-c", "SELECT count(*) AS n FROM city WHERE id = 9").out())
                .contains("0");
    }

    @Test
    void variablesAreQuotedAsLiteralsAndNames() {
        CommandRun run =
                server.sql(
                        "-v",
                        "who=it's; --",
                        "-v",
                        "n=id",
                        "-c",
                        "SELECT :'who' AS a, :\"n\" AS b, ':who' AS c, 1::int AS d, :n + 1 AS e"
                                + " FROM city WHERE id = 1",
                        "--format",
                        "csv");
        assertThat(run.out()).as(run.err()).isEqualTo("a,b,c,d,e\nit's; --,1,:who,1,2\n");
        assertThat(server.sql("-v", "a b=1", "-c", "SELECT 1").code()).isEqualTo(2);
    }

    @Test
    void commandsDescribeTheSchema() {
        CommandRun run = server.sql("-c", "\\d street");
        assertThat(run.out())
                .as(run.err())
                .contains("Table public.street")
                .contains("integer", "not null")
                .contains("PRIMARY KEY (id)", "FOREIGN KEY (city) REFERENCES city(id)")
                .contains("CREATE UNIQUE INDEX street_name_key");
        assertThat(server.sql("-c", "\\d city").out())
                .contains("Referenced by:", "public.street FOREIGN KEY");
        assertThat(server.sql("-c", "\\dt", "-c", "\\dn", "-c", "\\di", "-c", "\\l").out())
                .contains("street", "public", "street_name_key", "demo");
        CommandRun unknown = server.sql("-c", "\\d nowhere");
        assertThat(unknown.code()).isEqualTo(1);
        assertThat(unknown.err()).contains("there is no table, view or sequence nowhere");
        assertThat(server.sql("-c", "\\frobnicate").err()).contains("\\? lists the commands");
    }

    @Test
    void filesAreIncludedWrittenAndCopied() throws IOException {
        Path out = folder.resolve("out.csv");
        Path copied = folder.resolve("copied.csv");
        Path inner = Files.writeString(folder.resolve("inner.sql"), "SELECT 7 AS seven;\n");
        CommandRun run =
                server.sqlWithInput(
                        "\\f csv\n\\o %s\n\\i %s\n\\o\n\\copy city TO '%s' WITH (FORMAT csv)\n\\echo done\n"
                                .formatted(out, inner, copied));
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("done\n");
        assertThat(out).hasContent("seven\n7\n");
        assertThat(copied).content().contains("1,Braga,193000");
        Path itself = folder.resolve("itself.sql");
        Files.writeString(itself, "\\i " + itself + "\n");
        assertThat(server.sql("-f", itself.toString()).err()).contains("include each other");
        assertThat(server.sql("-c", "\\i /no/such/file").err()).contains("cannot read");
    }

    @Test
    void statementsEndOutsideQuotesCommentsAndParentheses() {
        CommandRun run =
                server.sqlWithInput(
                        """
                        SELECT 'a;b' AS a, $$c;'d$$ AS b, /* ; */ (1 -- ;
                        ) AS c, "e;f" FROM (SELECT 2 AS "e;f") AS t;
                        SELECT 3 AS last
                        """,
                        "--format",
                        "csv");
        assertThat(run.out()).as(run.err()).isEqualTo("a,b,c,e;f\na;b,c;'d,1,2\nlast\n3\n");
    }

    @Test
    void aLargeResultArrivesInPages() {
        CommandRun run =
                server.sql("--format", "csv", "-c", "SELECT x FROM system_range(1, 20000) AS t(x)");
        assertThat(run.out().lines()).hasSize(20_001);
    }

    @Test
    void analyticsWorkInATransaction() {
        CommandRun run =
                server.sql(
                        "--keep-going",
                        "--format",
                        "csv",
                        "-c",
                        "SET petrichor.engine = 'analytics'; BEGIN; SELECT count(*) AS cities FROM"
                                + " city; DELETE FROM city; ROLLBACK");
        assertThat(run.out()).as(run.err()).isEqualTo("cities\n2\n");
        assertThat(run.err()).contains("ERROR 25006").contains("HINT: COMMIT or ROLLBACK first");
    }

    @Test
    void refusals() {
        CommandRun none = CommandRun.of("sql", "--host", "127.0.0.1", "--port", "1", "-c", "x");
        assertThat(none.code()).isEqualTo(5);
        assertThat(none.err())
                .contains(
                        "No server listens for SQL at 127.0.0.1:1. Start one with `petrichor up`");
        assertThat(CommandRun.of("sql", "--port", "70000", "-c", "x").code()).isEqualTo(2);
        assertThat(CommandRun.of("sql", "http://localhost/x", "-c", "x").err())
                .contains("postgresql://localhost:5432/demo");
        assertThat(CommandRun.of("sql", "demo", "--project", "demo", "-c", "x").code())
                .isEqualTo(2);
        assertThat(server.sql("-f", "/no/such/file").err()).contains("cannot read /no/such/file");
        assertThat(server.sql("--format", "xml", "-c", "x").code()).isEqualTo(2);
    }

    @Test
    void aServerWithATokenWantsIt() throws IOException {
        try (SqlServer locked =
                SqlServer.start(Map.of("PETRICHOR_AUTH__TOKEN", "a token with all rights"))) {
            CommandRun wrong = locked.sql("--token", "another one", "-c", "SELECT 1");
            assertThat(wrong.code()).as(wrong.err()).isEqualTo(1);
            CommandRun right =
                    locked.sql("--token", "a token with all rights", "-c", "SELECT 1 AS one");
            assertThat(right.out()).as(right.err()).contains("one");
            CommandRun url =
                    CommandRun.of(
                            "sql",
                            "postgresql://ada:a%20token%20with%20all%20rights@127.0.0.1:"
                                    + locked.port()
                                    + "/shop/second",
                            "-c",
                            "SELECT current_user AS me",
                            "--format",
                            "csv");
            assertThat(url.out()).as(url.err()).isEqualTo("me\nada\n");
        }
    }
}
