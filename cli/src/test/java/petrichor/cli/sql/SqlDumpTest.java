package petrichor.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

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

/** Tests {@code petrichor sql dump}: what it writes can be restored. */
@Timeout(120)
final class SqlDumpTest {
    private static SqlServer server;

    @TempDir private Path folder;

    @BeforeAll
    static void start() throws IOException {
        server = SqlServer.start(Map.of());
        CommandRun made =
                server.sqlWithInput(
                        """
                        CREATE SCHEMA shop;
                        CREATE SEQUENCE ticket START WITH 100;
                        CREATE TABLE zone (id int PRIMARY KEY, name text NOT NULL UNIQUE);
                        CREATE TABLE city (
                            id serial PRIMARY KEY, zone int REFERENCES zone(id), name varchar(20),
                            "order" int DEFAULT 3, price numeric(10,2) CHECK (price >= 0),
                            at timestamptz, tags text[], data jsonb, raw bytea,
                            parent int REFERENCES city(id));
                        CREATE INDEX city_name ON city (name);
                        CREATE TABLE shop.item (id int PRIMARY KEY, note text);
                        CREATE VIEW cheap AS SELECT id, name FROM city WHERE price < 10;
                        INSERT INTO zone VALUES (1, 'north');
                        INSERT INTO city (zone, name, price, at, tags, data, raw, parent) VALUES
                            (1, 'tab' || chr(9) || '\\back', 3.50, '2026-01-02 03:04:05+00',
                             '{a,"b c"}'::text[], '{"k": [1, null]}'::jsonb, X'00ff', NULL),
                            (NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1);
                        INSERT INTO shop.item VALUES (1, '');
                        SELECT nextval('ticket');
                        """,
                        "source");
        assertThat(made.code()).as(made.err()).isZero();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String rows(String database) {
        CommandRun run =
                server.sql(
                        database,
                        "--format",
                        "csv",
                        "-c",
                        "SELECT * FROM zone; SELECT * FROM city ORDER BY id; SELECT * FROM"
                                + " shop.item; SELECT * FROM cheap");
        assertThat(run.code()).as(run.err()).isZero();
        return run.out();
    }

    @Test
    void aRestoredDumpHasTheSameRowsAndRules() throws IOException {
        Path file = folder.resolve("dump.sql");
        CommandRun dump =
                server.sql("dump", "--project", "source", "--output", file.toString(), "--json");
        assertThat(dump.code()).as(dump.err()).isZero();
        assertThat(dump.out()).contains("\"tables\":3", "\"rows\":4");
        // PostgreSQL has no such type.
        assertThat(file).content().contains("CHECK (price >= ").doesNotContain("DECFLOAT");
        CommandRun restored = server.sql("copy", "-f", file.toString());
        assertThat(restored.code()).as(restored.err()).isZero();
        assertThat(rows("copy")).isEqualTo(rows("source"));
        assertThat(rows("copy")).contains("\\x00ff", "{a,\"\"b c\"\"}");
        CommandRun checks =
                server.sqlWithInput(
                        """
                        INSERT INTO city (price) VALUES (-1);
                        INSERT INTO city (zone) VALUES (7);
                        INSERT INTO zone VALUES (2, 'north');
                        INSERT INTO city (name) VALUES ('next') RETURNING id;
                        SELECT nextval('ticket') > 100 AS later;
                        """,
                        "copy",
                        "--keep-going",
                        "--format",
                        "csv");
        assertThat(checks.err()).contains("ERROR 23514", "ERROR 23503", "ERROR 23505");
        // The rows that were refused have used two ids.
        assertThat(checks.out()).isEqualTo("id\n5\nlater\nt\n");
        assertThat(server.sql("copy", "-c", "\\d city").out())
                .contains("city_name", " order  |", "FOREIGN KEY (parent)");
    }

    @Test
    void partsAndSingleTables() {
        CommandRun schema = server.sql("dump", "--project", "source", "--schema-only", "--quiet");
        assertThat(schema.out()).contains("CREATE TABLE public.city").doesNotContain("COPY");
        CommandRun data =
                server.sql("dump", "--project", "source", "--data-only", "--table", "city");
        assertThat(data.out())
                .contains("COPY public.city")
                .contains("RESTART WITH 3")
                .doesNotContain("CREATE", "zone (");
        CommandRun unknown = server.sql("dump", "--project", "source", "--table", "nowhere");
        assertThat(unknown.code()).isEqualTo(4);
        assertThat(unknown.err()).contains("there is no table nowhere");
        assertThat(server.sql("dump", "--schema-only", "--data-only").code()).isEqualTo(2);
    }

    @Test
    void anExistingFileIsKept() throws IOException {
        Path file = Files.writeString(folder.resolve("old.sql"), "old");
        CommandRun run = server.sql("dump", "--output", file.toString());
        assertThat(run.code()).isEqualTo(3);
        assertThat(file).hasContent("old");
        assertThat(server.sql("dump", "--output", file.toString(), "--force").code()).isZero();
        assertThat(file).content().startsWith("-- Written by petrichor sql dump.");
    }
}
