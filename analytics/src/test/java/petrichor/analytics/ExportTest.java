package petrichor.analytics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.kv.memory.MemoryStore;
import petrichor.sql.ExportedRows;
import petrichor.sql.RowIterator;
import petrichor.sql.SqlDatabase;
import petrichor.sql.SqlException;
import petrichor.sql.SqlSession;
import petrichor.sql.StatementResult;
import petrichor.transactions.databases.RowDatabases;

/** Rows of queries as Parquet files, read by another DuckDB. */
final class ExportTest {
    private static final long DISK = 8 << 20;

    @TempDir private Path folder;
    private Analytics analytics;
    private RowDatabases rows;
    private SqlDatabase database;
    private SqlSession session;

    @BeforeEach
    void open() {
        analytics =
                Analytics.open(
                        new AnalyticsSettings(folder.resolve("worker"), 256L << 20, DISK, 1));
        rows = new RowDatabases(MemoryStore.open());
        database = SqlDatabase.open(rows.open("shop"), analytics);
        session = database.connect("ada");
        session.execute("CREATE TABLE book (id INT PRIMARY KEY, title TEXT, price NUMERIC(8,2))");
        session.execute(
                "INSERT INTO book SELECT x, 'book ' || x, x * 0.5 FROM generate_series(1, 2000)"
                        + " AS g(x)");
    }

    @AfterEach
    void close() {
        session.close();
        database.close();
        rows.close();
        analytics.close();
    }

    /** The number of rows that the file is said to have. */
    private long export(String query, Path file) throws IOException {
        try (ExportedRows exported = session.export(query);
                OutputStream out = Files.newOutputStream(file)) {
            long count = exported.start();
            for (byte[] part = exported.next(); part.length > 0; part = exported.next()) {
                out.write(part);
            }
            return count;
        }
    }

    private static String read(String query) throws SQLException {
        try (Connection duckdb = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = duckdb.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            assertThat(result.next()).isTrue();
            return result.getString(1) + "|" + result.getString(2) + "|" + result.getString(3);
        }
    }

    private String state(String query) {
        try {
            return Long.toString(export(query, folder.resolve("refused.parquet")));
        } catch (SqlException failed) {
            return failed.state();
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    @Test
    void aQueryIsAFile() throws Exception {
        Path file = folder.resolve("books.parquet");
        assertThat(export("SELECT * FROM book WHERE id > 500 -- all of them;", file))
                .isEqualTo(1_500);
        assertThat(
                        read(
                                "SELECT count(*), sum(price), max(title) FROM read_parquet('"
                                        + file
                                        + "')"))
                .isEqualTo("1500|937875.00|book 999");
        try (Stream<Path> files = Files.walk(folder.resolve("worker"))) {
            assertThat(files.filter(path -> path.toString().endsWith(".parquet"))).isEmpty();
        }
    }

    @Test
    void onlyAQueryIsExported() {
        Path outside = folder.resolve("outside.csv");
        assertThat(state("SELECT 1) TO '" + outside + "' (FORMAT csv) --")).isEqualTo("42601");
        assertThat(outside).doesNotExist();
        assertThat(state("DELETE FROM book")).isEqualTo("0A000");
        assertThat(state("SELECT * FROM book FOR UPDATE")).isEqualTo("0A000");
        assertThat(state("SELECT * FROM read_text('/etc/passwd')")).isEqualTo("42501");
    }

    @Test
    void aTransactionThatHasWrittenExportsNothing() {
        session.execute("BEGIN");
        session.execute("DELETE FROM book WHERE id = 1");
        assertThat(state("SELECT * FROM book")).isEqualTo("25001");
        session.execute("ROLLBACK");
        assertThat(state("SELECT * FROM book")).isEqualTo("2000");
    }

    @Test
    void aFailedExportFailsTheTransaction() {
        session.execute("BEGIN");
        assertThat(state("SELECT * FROM read_text('/etc/passwd')")).isEqualTo("42501");
        assertThatThrownBy(() -> session.execute("SELECT 1"))
                .isInstanceOfSatisfying(
                        SqlException.class,
                        failed -> assertThat(failed.state()).isEqualTo("25P02"));
        session.execute("ROLLBACK");
    }

    @Test
    void aTransactionExportsItsOwnVersionOnly() throws Exception {
        String former = "SELECT count(*), 1, 2 FROM book AS OF SYSTEM TIME '-1s'";
        session.execute("BEGIN");
        assertThat(state(former)).isEqualTo("25001");
        session.execute("ROLLBACK");
    }

    @Test
    void systemCatalogsAreNotExported() {
        assertThat(state("SELECT table_name FROM information_schema.tables")).isEqualTo("0A000");
    }

    @Test
    void cursorsAndPreparedStatementsHaveTheClientsText() {
        session.execute("SET petrichor.engine = 'analytics'");
        String query = "SELECT count(*) FROM book WHERE '{\"a\": \"x\"}'::json ->> 'a' = 'x'";
        session.execute("BEGIN");
        session.execute("DECLARE c CURSOR FOR " + query);
        assertThat(only("FETCH c")).isEqualTo(2_000L);
        session.execute("COMMIT");
        session.execute("PREPARE p AS " + query);
        assertThat(only("EXECUTE p")).isEqualTo(2_000L);
    }

    private @Nullable Object only(String text) {
        try (RowIterator rows = ((StatementResult.Rows) session.execute(text)).rows()) {
            assertThat(rows.next()).isTrue();
            return rows.value(0);
        }
    }

    @Test
    void aFileDoesNotGrowBeyondTheDisk() {
        assertThat(
                        state(
                                "SELECT md5(CAST(x AS TEXT)) FROM"
                                        + " generate_series(1, 100000000) AS g(x)"))
                .isEqualTo("53100");
    }

    @Test
    void aServerWithoutTheEngineRefuses() {
        try (SqlDatabase plain = SqlDatabase.open(rows.open("plain"));
                SqlSession other = plain.connect("ada")) {
            assertThatThrownBy(() -> other.export("SELECT 1"))
                    .isInstanceOf(SqlException.class)
                    .hasMessageContaining("no analytics engine");
        }
    }
}
