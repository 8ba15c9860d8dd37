package petrichor.frontends.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Queries of system catalogs as PostgreSQL's own clients send them. */
class SystemCatalogTest {
    private SqlServer server;
    private Connection connection;

    @BeforeEach
    void open() throws SQLException {
        server = new SqlServer();
        connection = server.connect();
        execute(
                "CREATE TABLE author (id serial PRIMARY KEY, name varchar(80) NOT NULL UNIQUE)",
                "CREATE TABLE book (id bigint PRIMARY KEY, author_id integer NOT NULL"
                        + " REFERENCES author (id) ON DELETE CASCADE, title text DEFAULT 'new',"
                        + " price numeric(10,2) CHECK (price > 0))",
                "CREATE INDEX book_title ON book (title, price DESC)",
                "CREATE VIEW titles AS SELECT title FROM book",
                "COMMENT ON TABLE book IS 'of the shop'");
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        server.close();
    }

    private void execute(String... texts) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String text : texts) {
                statement.execute(text);
            }
        }
    }

    /** The named columns of each row, separated by bars. */
    private static List<String> rows(ResultSet rows, String... columns) throws SQLException {
        try (rows) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                List<String> values = new ArrayList<>();
                for (String column : columns) {
                    values.add(String.valueOf(rows.getString(column)));
                }
                found.add(String.join("|", values));
            }
            return found;
        }
    }

    private List<String> query(String text) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(text)) {
            return rows(rows, rows.getMetaData().getColumnLabel(1));
        }
    }

    @Test
    void theJdbcDriverFindsTablesAndColumns() throws SQLException {
        DatabaseMetaData meta = connection.getMetaData();
        assertEquals(
                List.of("author|TABLE|null", "book|TABLE|of the shop", "titles|VIEW|null"),
                rows(
                        meta.getTables(null, "public", "%", new String[] {"TABLE", "VIEW"}),
                        "TABLE_NAME",
                        "TABLE_TYPE",
                        "REMARKS"));
        assertEquals(
                List.of(
                        "id|int8|19|NO|null",
                        "author_id|int4|10|NO|null",
                        "title|text|2147483647|YES|'new'::text",
                        "price|numeric|10|YES|null"),
                rows(
                        meta.getColumns(null, "public", "book", "%"),
                        "COLUMN_NAME",
                        "TYPE_NAME",
                        "COLUMN_SIZE",
                        "IS_NULLABLE",
                        "COLUMN_DEF"));
    }

    @Test
    void theJdbcDriverFindsKeysAndIndexes() throws SQLException {
        DatabaseMetaData meta = connection.getMetaData();
        assertEquals(
                List.of("id|1|book_pkey"),
                rows(
                        meta.getPrimaryKeys(null, "public", "book"),
                        "COLUMN_NAME",
                        "KEY_SEQ",
                        "PK_NAME"));
        assertEquals(
                List.of("author|id|book|author_id|0|book_author_id_fkey"),
                rows(
                        meta.getImportedKeys(null, "public", "book"),
                        "PKTABLE_NAME",
                        "PKCOLUMN_NAME",
                        "FKTABLE_NAME",
                        "FKCOLUMN_NAME",
                        "DELETE_RULE",
                        "FK_NAME"));
        assertEquals(
                List.of("book_pkey|1|id|A", "book_title|1|title|A", "book_title|2|price|D"),
                rows(
                        meta.getIndexInfo(null, "public", "book", false, false),
                        "INDEX_NAME",
                        "ORDINAL_POSITION",
                        "COLUMN_NAME",
                        "ASC_OR_DESC"));
    }

    @Test
    void namesAreResolvedLikeInPostgres() throws SQLException {
        assertEquals(List.of("book"), query("SELECT 'book'::regclass::text"));
        assertEquals(List.of("integer"), query("SELECT 23::regtype::text"));
        assertEquals(List.of("public"), query("SELECT current_schema()"));
        assertEquals(
                List.of("{\"public\"}".replace("\"", "")), query("SELECT current_schemas(false)"));
        SQLException missing =
                org.junit.jupiter.api.Assertions.assertThrows(
                        SQLException.class, () -> query("SELECT 'nothing'::regclass"));
        assertEquals("42P01", missing.getSQLState());
    }

    @Test
    void informationSchemaHasOwnTables() throws SQLException {
        assertEquals(
                List.of("author", "book", "titles"),
                query(
                        "SELECT table_name FROM information_schema.tables WHERE table_schema ="
                                + " 'public' ORDER BY 1"));
        assertEquals(
                List.of("character varying"),
                query(
                        "SELECT data_type FROM information_schema.columns WHERE table_name ="
                                + " 'author' AND column_name = 'name'"));
    }

    @Test
    void aChangeInsideATransactionIsVisibleToIt() throws SQLException {
        connection.setAutoCommit(false);
        execute("CREATE TABLE later (id integer PRIMARY KEY)");
        String count = "SELECT count(*) FROM pg_catalog.pg_class WHERE relname = 'later'";
        assertEquals(List.of("1"), query(count));
        connection.rollback();
        assertEquals(List.of("0"), query(count));
    }

    @Test
    void unnamedColumnsAreNamedAsInPostgres() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery(
                                "SELECT 1, count(*), max(id) + 1, lower(max(title)),"
                                    + " max(price)::text, CASE WHEN true THEN 1 END, max(id) AS m"
                                    + " FROM book")) {
            List<String> names = new ArrayList<>();
            for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                names.add(rows.getMetaData().getColumnLabel(i));
            }
            assertEquals(
                    List.of("?column?", "count", "?column?", "lower", "max", "case", "m"), names);
        }
    }

    @Test
    void psqlDescribesTables() throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(
                        "psql",
                        "postgresql://ada@127.0.0.1:" + server.port() + "/shop",
                        "-c",
                        "\\d book",
                        "-c",
                        "\\d+ author",
                        "-c",
                        "\\di",
                        "-c",
                        "\\l",
                        "-c",
                        "\\du",
                        "-c",
                        "\\dn");
        builder.environment().put("PGPASSWORD", SqlServer.PASSWORD);
        builder.redirectErrorStream(true);
        Process psql;
        try {
            psql = builder.start();
        } catch (IOException missing) {
            assumeTrue(System.getenv("CI") != null, "psql is not installed");
            throw missing;
        }
        String output = new String(psql.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, psql.waitFor(), output);
        for (String line :
                List.of(
                        "\"book_pkey\" PRIMARY KEY, btree (id)",
                        "\"book_title\" btree (title, price DESC)",
                        "\"book_author_id_fkey\" FOREIGN KEY (author_id) REFERENCES author(id) ON"
                                + " DELETE CASCADE",
                        "TABLE \"book\" CONSTRAINT \"book_author_id_fkey\"",
                        "public | book_title ",
                        "generated by default as identity")) {
            assertTrue(output.contains(line), line + "\n" + output);
        }
        assertTrue(!output.contains("ERROR"), output);
    }
}
