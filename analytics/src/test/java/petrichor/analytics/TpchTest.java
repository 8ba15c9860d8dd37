package petrichor.analytics;

import static org.assertj.core.api.Assertions.assertThat;

import io.trino.tpch.TpchEntity;
import io.trino.tpch.TpchTable;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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
    private static final MathContext DIGITS = new MathContext(9);

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
        for (String definition : text("schema.sql").split(";", -1)) {
            session.execute(definition);
            execute(definition);
        }
        for (TpchTable<?> table : TpchTable.getTables()) {
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

    private static void load(TpchTable<?> table) throws IOException, SQLException {
        Path file = folder.resolve(table.getTableName() + ".tbl");
        List<String> batch = new ArrayList<>();
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (TpchEntity entity : table.createGenerator(SCALE, 1, 1)) {
                String line = entity.toLine();
                String values = line.endsWith("|") ? line.substring(0, line.length() - 1) : line;
                out.write(values);
                out.newLine();
                batch.add("('" + values.replace("'", "''").replace("|", "','") + "')");
                if (batch.size() == ROWS_PER_INSERT) {
                    insert(table, batch);
                }
            }
        }
        insert(table, batch);
        execute("COPY " + table.getTableName() + " FROM '" + file + "' (DELIMITER '|')");
    }

    private static void insert(TpchTable<?> table, List<String> batch) {
        if (!batch.isEmpty()) {
            session.execute(
                    "INSERT INTO " + table.getTableName() + " VALUES " + String.join(",", batch));
            batch.clear();
        }
    }

    private static String text(String name) throws IOException {
        try (InputStream in = TpchTest.class.getResourceAsStream("tpch/" + name)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @ValueSource(
            ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22})
    void sameRowsAsOverFiles(int number) throws Exception {
        String query = text(String.format("q%02d.sql", number));
        long begun = System.nanoTime();
        List<String> ours = ours(query);
        long first = System.nanoTime();
        assertThat(ours(query)).isEqualTo(ours);
        long warm = System.nanoTime();
        List<String> theirs = theirs(query);
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
                    values.add(shown(read.value(i)));
                }
                found.add(String.join("|", values));
            }
        }
        return found;
    }

    private static List<String> theirs(String query) throws SQLException {
        List<String> found = new ArrayList<>();
        try (Statement statement = files.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            while (result.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                    values.add(shown(result.getObject(i)));
                }
                found.add(String.join("|", values));
            }
        }
        return found;
    }

    /** Sums of doubles depend on their order. */
    private static String shown(@Nullable Object value) {
        return value instanceof Number number
                ? new BigDecimal(number.toString())
                        .round(DIGITS)
                        .stripTrailingZeros()
                        .toPlainString()
                : String.valueOf(value);
    }
}
