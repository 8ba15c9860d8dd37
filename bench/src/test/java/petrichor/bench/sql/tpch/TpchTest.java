package petrichor.bench.sql.tpch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.analytics.Analytics;
import petrichor.analytics.AnalyticsSettings;
import petrichor.kv.KeyValueStore;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.sql.RowIterator;
import petrichor.sql.SqlDatabase;
import petrichor.sql.SqlSession;
import petrichor.sql.StatementResult;
import petrichor.transactions.databases.RowDatabases;

/** The 22 queries of TPC-H give the same rows as DuckDB over files with the same data. */
@Tag("slow")
final class TpchTest {
    private static final double SCALE =
            Double.parseDouble(System.getProperty("tpch.scale", "0.01"));
    private static final int ROWS_PER_INSERT = 250;

    @TempDir private static Path folder;
    private static KeyValueStore store;
    private static RowDatabases rows;
    private static SqlDatabase database;
    private static Analytics analytics;
    private static SqlSession session;
    private static Connection files;

    @BeforeAll
    static void load() throws IOException, SQLException {
        store = RocksStore.open(folder.resolve("store"));
        rows = new RowDatabases(store);
        analytics =
                Analytics.open(
                        new AnalyticsSettings(folder.resolve("worker"), 1L << 30, 1L << 34, 2));
        database = SqlDatabase.open(rows.open("tpch"), analytics);
        session = database.connect("ada");
        files = DriverManager.getConnection("jdbc:duckdb:" + folder.resolve("native.duckdb"));
        execute("SET threads=2");
        for (String definition : TpchData.schema()) {
            session.execute(definition);
            execute(definition);
        }
        TpchData.write(folder, SCALE);
        for (String table : TpchData.tables()) {
            load(table);
        }
        session.execute("SET petrichor.engine = 'analytics'");
    }

    @AfterAll
    static void close() throws Exception {
        files.close();
        session.close();
        database.close();
        analytics.close();
        rows.close();
        store.close();
    }

    private static void execute(String text) throws SQLException {
        try (Statement statement = files.createStatement()) {
            statement.execute(text);
        }
    }

    private static void load(String table) throws IOException, SQLException {
        Path file = TpchData.file(folder, table);
        List<String> batch = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            batch.add("('" + line.replace("'", "''").replace("|", "','") + "')");
            if (batch.size() == ROWS_PER_INSERT) {
                insert(table, batch);
            }
        }
        insert(table, batch);
        execute("COPY " + table + " FROM '" + file + "' (DELIMITER '|')");
    }

    private static void insert(String table, List<String> batch) {
        if (!batch.isEmpty()) {
            session.execute("INSERT INTO " + table + " VALUES " + String.join(",", batch));
            batch.clear();
        }
    }

    @ParameterizedTest
    @ValueSource(
            ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22})
    void sameRowsAsOverFiles(int number) throws Exception {
        String query = TpchData.query(number);
        long begun = System.nanoTime();
        List<String> ours = ours(query);
        long first = System.nanoTime();
        assertThat(ours(query)).isEqualTo(ours);
        long warm = System.nanoTime();
        List<String> theirs = TpchRows.of(files, query);
        long end = System.nanoTime();
        assertThat(ours).isEqualTo(theirs);
        assertThat(theirs).isNotEmpty();
        System.out.printf(
                "TPC-H %d: first %d us, warm %d us, DuckDB over its own tables %d us%n",
                number, (first - begun) / 1000, (warm - first) / 1000, (end - warm) / 1000);
    }

    private static List<String> ours(String query) {
        List<String> found = new ArrayList<>();
        StatementResult.Rows result = (StatementResult.Rows) session.execute(query);
        try (RowIterator read = result.rows()) {
            while (read.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 0; i < result.columns().size(); i++) {
                    values.add(TpchRows.shown(read.value(i)));
                }
                found.add(String.join("|", values));
            }
        }
        return found;
    }
}
