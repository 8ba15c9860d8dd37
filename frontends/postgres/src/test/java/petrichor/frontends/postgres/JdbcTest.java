package petrichor.frontends.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.util.PSQLException;

/** PostgreSQL's JDBC driver. */
@Timeout(120)
class JdbcTest {
    private final SqlServer server = new SqlServer();

    @AfterEach
    void close() throws Exception {
        server.close();
    }

    private static String state(Throwable failure) {
        return failure instanceof SQLException sql ? String.valueOf(sql.getSQLState()) : "";
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended", "extendedForPrepared", "extendedCacheEverything"})
    void statementsInEachMode(String mode) throws SQLException {
        try (Connection connection = server.connect("preferQueryMode", mode);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE city (id INT PRIMARY KEY, name TEXT, people BIGINT)");
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO city VALUES (?, ?, ?)")) {
                for (int id = 1; id <= 20; id++) {
                    insert.setInt(1, id);
                    insert.setString(2, "city " + id);
                    insert.setLong(3, id * 1_000_000_000L);
                    insert.addBatch();
                }
                assertThat(insert.executeBatch()).hasSize(20).containsOnly(1);
            }
            try (PreparedStatement select =
                    connection.prepareStatement(
                            "SELECT name, people FROM city WHERE people > ? ORDER BY id")) {
                for (int round = 0; round < 10; round++) {
                    select.setLong(1, 18_000_000_000L);
                    List<String> names = new ArrayList<>();
                    try (ResultSet rows = select.executeQuery()) {
                        while (rows.next()) {
                            names.add(rows.getString(1) + "=" + rows.getLong(2));
                        }
                    }
                    assertThat(names).containsExactly("city 19=19000000000", "city 20=20000000000");
                }
            }
            assertThat(statement.executeUpdate("DELETE FROM city WHERE id <= 5")).isEqualTo(5);
        }
    }

    @Test
    void zoneOfATimestampWithoutZoneIsIgnored() throws SQLException {
        Timestamp written = Timestamp.valueOf("2026-11-28 05:06:07.25");
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE moment (k INT PRIMARY KEY, p TIMESTAMP)");
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO moment VALUES (1, ?)")) {
                insert.setTimestamp(1, written);
                assertThat(insert.executeUpdate()).isEqualTo(1);
            }
            try (ResultSet rows = statement.executeQuery("SELECT p FROM moment")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getTimestamp(1)).isEqualTo(written);
            }
        }
    }

    @Test
    void valuesOfEachTypeInTextAndBinary() throws SQLException {
        UUID id = UUID.randomUUID();
        OffsetDateTime time = OffsetDateTime.of(2026, 11, 28, 5, 6, 7, 123_456_000, ZoneOffset.UTC);
        try (Connection connection = server.connect("prepareThreshold", "-1");
                Connection text = server.connect("binaryTransfer", "false");
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE v (k INT PRIMARY KEY, b BOOLEAN, s SMALLINT, i INT, l BIGINT, n"
                            + " NUMERIC(30,6), r REAL, d DOUBLE PRECISION, t TEXT, y BYTEA, a DATE,"
                            + " p TIMESTAMP, z TIMESTAMPTZ, u UUID)");
            try (PreparedStatement insert =
                    connection.prepareStatement(
                            "INSERT INTO v VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
                insert.setBoolean(1, true);
                insert.setShort(2, (short) -7);
                insert.setInt(3, Integer.MIN_VALUE);
                insert.setLong(4, Long.MAX_VALUE);
                insert.setBigDecimal(5, new BigDecimal("-12345678901234567890.000120"));
                insert.setFloat(6, 1.5f);
                insert.setDouble(7, -1e-300);
                insert.setString(8, "Zürich \uD83C\uDF27 \\ ' \"");
                insert.setBytes(9, new byte[] {0, 1, -1});
                insert.setObject(10, LocalDate.of(1582, 10, 15));
                insert.setObject(11, LocalDateTime.of(2026, 2, 28, 23, 59, 59, 999_999_000));
                insert.setObject(12, time);
                insert.setObject(13, id);
                assertThat(insert.executeUpdate()).isOne();
            }
            for (Connection reader : List.of(connection, text)) {
                try (PreparedStatement select = reader.prepareStatement("SELECT * FROM v");
                        ResultSet row = select.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getBoolean("b")).isTrue();
                    assertThat(row.getShort("s")).isEqualTo((short) -7);
                    assertThat(row.getInt("i")).isEqualTo(Integer.MIN_VALUE);
                    assertThat(row.getLong("l")).isEqualTo(Long.MAX_VALUE);
                    assertThat(row.getBigDecimal("n"))
                            .isEqualTo(new BigDecimal("-12345678901234567890.000120"));
                    assertThat(row.getFloat("r")).isEqualTo(1.5f);
                    assertThat(row.getDouble("d")).isEqualTo(-1e-300);
                    assertThat(row.getString("t")).isEqualTo("Zürich \uD83C\uDF27 \\ ' \"");
                    assertThat(row.getBytes("y")).containsExactly(0, 1, -1);
                    assertThat(row.getObject("a", LocalDate.class))
                            .isEqualTo(LocalDate.of(1582, 10, 15));
                    assertThat(row.getObject("p", LocalDateTime.class))
                            .isEqualTo(LocalDateTime.of(2026, 2, 28, 23, 59, 59, 999_999_000));
                    assertThat(row.getObject("z", OffsetDateTime.class).toInstant())
                            .isEqualTo(time.toInstant());
                    assertThat(row.getObject("u", UUID.class)).isEqualTo(id);
                }
            }
        }
    }

    @Test
    void transactionsFailAndEnd() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE t (k INT PRIMARY KEY, v INT)");
            connection.setAutoCommit(false);
            statement.execute("INSERT INTO t VALUES (1, 1)");
            assertThatThrownBy(() -> statement.execute("INSERT INTO t VALUES (1, 2)"))
                    .satisfies(failed -> assertThat(state(failed)).isEqualTo("23505"));
            assertThatThrownBy(() -> statement.execute("SELECT 1"))
                    .satisfies(failed -> assertThat(state(failed)).isEqualTo("25P02"));
            connection.rollback();
            statement.execute("INSERT INTO t VALUES (2, 2)");
            connection.commit();
            connection.setAutoCommit(true);
            try (ResultSet rows = statement.executeQuery("SELECT k FROM t")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(2);
                assertThat(rows.next()).isFalse();
            }
            assertThatThrownBy(() -> statement.execute("SELECT * FROM tt"))
                    .satisfies(failed -> assertThat(state(failed)).isEqualTo("42P01"));
        }
    }

    /** Statements of one message are one transaction. */
    @Test
    void severalStatementsInAMessageFailTogether() throws SQLException {
        try (Connection connection = server.connect("preferQueryMode", "simple");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE t (k INT PRIMARY KEY)");
            assertThatThrownBy(
                            () ->
                                    statement.execute(
                                            "INSERT INTO t VALUES (1); INSERT INTO t VALUES (1)"))
                    .isInstanceOf(PSQLException.class);
            try (ResultSet rows = statement.executeQuery("SELECT count(*) FROM t")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isZero();
            }
        }
    }

    @Test
    void portalsReturnRowsInPieces() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE n (k INT PRIMARY KEY)");
            statement.execute("INSERT INTO n SELECT * FROM generate_series(1, 1000)");
            connection.setAutoCommit(false);
            statement.setFetchSize(7);
            int sum = 0;
            try (ResultSet rows = statement.executeQuery("SELECT k FROM n ORDER BY k")) {
                while (rows.next()) {
                    sum += rows.getInt(1);
                }
            }
            assertThat(sum).isEqualTo(500_500);
            connection.commit();
        }
    }

    @Test
    void copiesInAndOut() throws Exception {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE c (k INT PRIMARY KEY, t TEXT, n NUMERIC(10,2))");
            var copy = connection.unwrap(PGConnection.class).getCopyAPI();
            StringBuilder lines = new StringBuilder();
            for (int k = 0; k < 250; k++) {
                lines.append(k).append("\tline\\t").append(k).append("\t\\N\n");
            }
            assertThat(copy.copyIn("COPY c FROM STDIN", new StringReader(lines.toString())))
                    .isEqualTo(250);
            assertThat(
                            copy.copyIn(
                                    "COPY c (k, t, n) FROM STDIN WITH (FORMAT CSV, HEADER)",
                                    new StringReader(
                                            "k,t,n\n1000,\"a \"\"b\"\",\nc\",1.5\n1001,,\n")))
                    .isEqualTo(2);
            StringWriter out = new StringWriter();
            copy.copyOut("COPY (SELECT * FROM c WHERE k >= 249 ORDER BY k) TO STDOUT CSV", out);
            assertThat(out.toString())
                    .isEqualTo("249,line\t249,\n1000,\"a \"\"b\"\",\nc\",1.50\n1001,,\n");
            assertThatThrownBy(() -> copy.copyIn("COPY c FROM STDIN", new StringReader("1\n")))
                    .satisfies(failed -> assertThat(state(failed)).isEqualTo("22P04"));
            try (ResultSet rows = statement.executeQuery("SELECT count(*) FROM c")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(252);
            }
        }
    }

    /** The driver sends a request for cancellation when the time is over. */
    @Test
    void aRunningStatementIsCancelled() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(1);
            assertThatThrownBy(
                            () ->
                                    statement.executeQuery(
                                            "SELECT count(*) FROM system_range(1, 1000000) a,"
                                                    + " system_range(1, 1000000) b"))
                    .satisfies(failed -> assertThat(state(failed)).isEqualTo("57014"));
            statement.setQueryTimeout(0);
            try (ResultSet row = statement.executeQuery("SELECT 1")) {
                assertThat(row.next()).isTrue();
            }
        }
    }

    /** More than there are processors. */
    @Test
    void longStatementsDoNotStopOtherConnectionsNorCancellation() throws Exception {
        int count = Runtime.getRuntime().availableProcessors() + 2;
        List<Connection> connections = new ArrayList<>();
        List<Statement> statements = new ArrayList<>();
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        try (ExecutorService clients = Executors.newCachedThreadPool()) {
            for (int i = 0; i < count; i++) {
                Connection connection = server.connect();
                connections.add(connection);
                Statement statement = connection.createStatement();
                statements.add(statement);
                ends.add(
                        CompletableFuture.runAsync(
                                () ->
                                        assertThatThrownBy(
                                                        () ->
                                                                statement.executeQuery(
                                                                        "SELECT count(*) FROM"
                                                                                + " system_range(1,"
                                                                                + " 1000000) a,"
                                                                                + " system_range(1,"
                                                                                + " 1000000) b"))
                                                .satisfies(
                                                        failed ->
                                                                assertThat(state(failed))
                                                                        .isEqualTo("57014")),
                                clients));
            }
            while (busySessions() < count) {
                Thread.onSpinWait();
            }
            try (Connection other = server.connect();
                    Statement statement = other.createStatement();
                    ResultSet row = statement.executeQuery("SELECT 1")) {
                assertThat(row.next()).isTrue();
            }
            for (Statement statement : statements) {
                statement.cancel();
            }
            for (CompletableFuture<Void> end : ends) {
                end.get();
            }
        } finally {
            for (Connection connection : connections) {
                connection.close();
            }
        }
    }

    /** Sessions that have computed for a while. */
    private static long busySessions() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("postgres session"))
                .filter(thread -> threads.getThreadCpuTime(thread.threadId()) > 200_000_000)
                .count();
    }

    @Test
    void wrongPasswordsAndDatabasesAreRefused() {
        assertThatThrownBy(() -> server.connect("password", "crayon"))
                .satisfies(failed -> assertThat(state(failed)).isEqualTo("28P01"));
        assertThatThrownBy(() -> server.connect("user", "eve"))
                .satisfies(failed -> assertThat(state(failed)).isEqualTo("28P01"));
        assertThatThrownBy(
                        () -> {
                            try (Connection other =
                                    java.sql.DriverManager.getConnection(
                                            server.url().replace("/shop", "/bank"),
                                            SqlServer.USER,
                                            SqlServer.PASSWORD)) {
                                assertThat(other).isNull();
                            }
                        })
                .satisfies(failed -> assertThat(state(failed)).isEqualTo("3D000"));
    }
}
