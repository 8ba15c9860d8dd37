package petrichor.kv.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.jdbc.SqlStoreCases.assertFails;
import static petrichor.kv.jdbc.SqlStoreCases.bytes;
import static petrichor.kv.jdbc.SqlStoreCases.open;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mariadb.jdbc.Driver;
import petrichor.base.ErrorCode;
import petrichor.kv.DurableStep;
import petrichor.kv.DurableStep.Outcome;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.WriteBatch;
import petrichor.kv.testkit.RealStore;

/**
 * One MariaDB: with default settings, killed, unresponsive, and configured in ways that must be
 * refused.
 */
class MariaDbStoreTest implements SqlStoreOutageCases {

    @Override
    public RealStore server() {
        return RealStore.of(new MariaDbDeployment());
    }

    @Override
    public StoreUrl place(String name) {
        return StoreUrl.parse(server().url() + name + "?connections=8&timeout=60s");
    }

    @Override
    public Connection operator(String name) throws SQLException {
        StoreUrl url = place(name);
        Properties properties = new Properties();
        properties.put("user", "root");
        properties.put("password", url.password().orElseThrow());
        String address = "jdbc:mariadb://" + url.nodes().getFirst() + "/" + url.name();
        return Objects.requireNonNull(new Driver().connect(address, properties));
    }

    @Override
    public String countOfWaiting() {
        return "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
    }

    @Override
    public String endOfConnections() {
        return "KILL USER " + place("").user().orElseThrow();
    }

    @Override
    public String endOfWaiting() {
        return endOfConnections();
    }

    @Override
    public List<String> conflicts(String name, int count) {
        return List.of(
                "CREATE SEQUENCE IF NOT EXISTS tries",
                "CREATE TRIGGER conflict BEFORE INSERT ON kv_rows FOR EACH ROW"
                        + " IF NEXTVAL(tries) <= "
                        + count
                        + " THEN"
                        + " SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213; END IF");
    }

    @Override
    public List<String> slowDeletes() {
        return List.of(
                "CREATE TRIGGER slow BEFORE DELETE ON kv_rows FOR EACH ROW SET @slept = SLEEP(3)");
    }

    @ParameterizedTest
    @CsvSource({
        "innodb_flush_log_at_trx_commit, 2, 1",
        "read_only, 1, 0",
        "max_allowed_packet, 1048576, 268435456"
    })
    void serverThatPromisesTooLittleIsRefused(String setting, String weak, String right)
            throws SQLException {
        open(place("weak")).close();
        administer("weak", "SET GLOBAL " + setting + " = " + weak);
        try {
            assertThat(assertFails(ErrorCode.FAILED_PRECONDITION, () -> open(place("weak"))))
                    .hasMessageContaining(setting);
        } finally {
            administer("weak", "SET GLOBAL " + setting + " = " + right);
        }
        open(place("weak")).close();
    }

    @Test
    void batchLargerThanOneMessageIsAtomic() throws SQLException {
        open(place("large")).close();
        administer("large", "SET GLOBAL max_allowed_packet = 16777216");
        try (KeyValueStore store = open(place("large"))) {
            store.createTable("rows");
            var step = (DurableStep.AtomicBatch) store.durableStep();
            long older = step.takeFence(bytes("db"));
            long fence = step.takeFence(bytes("db"));
            List<byte[]> keys = List.of(bytes("a"), bytes("b"), bytes("c"), bytes("d"));
            assertThat(store.capabilities().valueBytesMax()).isLessThan(8 << 20);
            assertThat(step.commit(bytes("db"), older, large(store, keys)))
                    .isEqualTo(Outcome.FENCED);
            assertThat(store.get("rows", keys)).containsOnlyNulls();
            assertFails(
                    ErrorCode.NOT_FOUND,
                    () ->
                            step.commit(
                                    bytes("db"),
                                    fence,
                                    large(store, keys).put("zmissing", bytes("a"), bytes("1"))));
            assertThat(store.get("rows", keys)).containsOnlyNulls();
            assertThat(step.commit(bytes("db"), fence, large(store, keys))).isEqualTo(Outcome.DONE);
            assertThat(store.get("rows", keys)).doesNotContainNull();
        } finally {
            administer("large", "SET GLOBAL max_allowed_packet = 268435456");
        }
    }

    /** Waits until a session sleeps in a trigger. */
    private void awaitSleeper(String name, Future<?> sleeper) throws SQLException {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        try (Connection connection = operator(name);
                Statement statement = connection.createStatement()) {
            while (true) {
                assertThat(sleeper.isDone()).as("it did not sleep").isFalse();
                try (ResultSet count =
                        statement.executeQuery(
                                "SELECT count(*) FROM information_schema.processlist"
                                        + " WHERE state = 'User sleep'")) {
                    count.next();
                    if (count.getInt(1) > 0) {
                        return;
                    }
                }
                assertThat(System.nanoTime()).as("no session sleeps").isLessThan(end);
            }
        }
    }

    /** Often enough that a procedure is created. */
    private static void commitOften(DurableStep.AtomicBatch step, long fence) {
        for (int i = 0; i < 40; i++) {
            assertThat(step.commit(bytes("db"), fence, batch("often", "" + i)))
                    .isEqualTo(Outcome.DONE);
        }
    }

    private static WriteBatch batch(String key, String value) {
        return new WriteBatch()
                .put("history", bytes(key), bytes("former"))
                .put("rows", bytes(key), bytes(value))
                .put("rows", bytes(key + "2"), bytes(value));
    }

    private KeyValueStore withTables(String name) {
        KeyValueStore store = open(place(name));
        store.createTable("rows");
        store.createTable("history");
        return store;
    }

    private List<String> procedures(String name) throws SQLException {
        List<String> names = new ArrayList<>();
        try (Connection connection = operator(name);
                Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery(
                                "SELECT routine_name FROM information_schema.routines"
                                        + " WHERE routine_schema = '"
                                        + place(name).name()
                                        + "'")) {
            while (rows.next()) {
                names.add(rows.getString(1));
            }
        }
        return names;
    }

    @Test
    void frequentCommitsUseAProcedureThatChecksTheFence() throws SQLException {
        try (KeyValueStore store = withTables("often")) {
            var step = (DurableStep.AtomicBatch) store.durableStep();
            long older = step.takeFence(bytes("db"));
            commitOften(step, older);
            assertThat(procedures("often"))
                    .singleElement()
                    .asString()
                    .startsWith(MariaDbProcedures.PREFIX);
            assertThat(store.get("rows", bytes("often2"))).isEqualTo(bytes("39"));
            assertThat(store.get("history", bytes("often"))).isEqualTo(bytes("former"));
            long fence = step.takeFence(bytes("db"));
            assertThat(step.commit(bytes("db"), older, batch("late", "1")))
                    .isEqualTo(Outcome.FENCED);
            assertThat(store.get("rows", bytes("late"))).isNull();
            assertThat(step.commit(bytes("db"), fence, batch("late", "2"))).isEqualTo(Outcome.DONE);
            assertThat(store.get("rows", bytes("late"))).isEqualTo(bytes("2"));
        }
    }

    @Test
    void takingAFenceWaitsForTheProcedureThatHoldsIt() throws Exception {
        try (KeyValueStore store = withTables("held");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var step = (DurableStep.AtomicBatch) store.durableStep();
            long fence = step.takeFence(bytes("db"));
            commitOften(step, fence);
            // The fence is held by then: rows are written after it.
            administer(
                    "held",
                    "CREATE TRIGGER slow BEFORE INSERT ON kv_rows FOR EACH ROW"
                            + " SET @slept = SLEEP(2)");
            Future<Outcome> slow =
                    threads.submit(() -> step.commit(bytes("db"), fence, batch("slow", "1")));
            awaitSleeper("held", slow);
            step.takeFence(bytes("db"));
            assertThat(store.get("rows", bytes("slow2"))).isEqualTo(bytes("1"));
            assertThat(slow.get()).isEqualTo(Outcome.DONE);
        }
    }

    @Test
    void procedureThatFailsLeavesNothing() throws SQLException {
        try (KeyValueStore store = withTables("half")) {
            var step = (DurableStep.AtomicBatch) store.durableStep();
            long fence = step.takeFence(bytes("db"));
            commitOften(step, fence);
            store.dropTable("rows");
            assertFails(
                    ErrorCode.NOT_FOUND, () -> step.commit(bytes("db"), fence, batch("half", "1")));
            assertThat(store.get("history", bytes("half"))).isNull();
            // The connection is not in a transaction either: others see the next write.
            step.commit(
                    bytes("db"), fence, new WriteBatch().put("history", bytes("next"), bytes("1")));
            try (KeyValueStore other = open(place("half"))) {
                assertThat(other.get("history", bytes("next"))).isEqualTo(bytes("1"));
                assertThat(other.get("history", bytes("half"))).isNull();
            }
        }
    }

    @Test
    void droppedProcedureIsRecreated() throws SQLException {
        try (KeyValueStore store = withTables("dropped")) {
            var step = (DurableStep.AtomicBatch) store.durableStep();
            long fence = step.takeFence(bytes("db"));
            commitOften(step, fence);
            for (String name : procedures("dropped")) {
                administer("dropped", "DROP PROCEDURE " + name);
            }
            assertThat(step.commit(bytes("db"), fence, batch("k", "1"))).isEqualTo(Outcome.DONE);
            assertThat(store.get("rows", bytes("k"))).isEqualTo(bytes("1"));
            commitOften(step, fence);
            assertThat(procedures("dropped")).hasSize(1);
        }
    }

    @Test
    void commitsWorkWithoutThePrivilegeToCreateProcedures() throws SQLException {
        withTables("plain").close();
        administer(
                "plain",
                "CREATE OR REPLACE USER plain@'%' IDENTIFIED BY 'word'",
                "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP ON `"
                        + place("plain").name()
                        + "`.* TO plain@'%'");
        StoreUrl place = place("plain");
        StoreUrl url =
                StoreUrl.parse(
                        "mariadb://plain:word@"
                                + place.nodes().getFirst()
                                + "/"
                                + place.name()
                                + "?timeout=60s");
        try (KeyValueStore store = open(url)) {
            var step = (DurableStep.AtomicBatch) store.durableStep();
            commitOften(step, step.takeFence(bytes("db")));
            assertThat(store.get("rows", bytes("often"))).isEqualTo(bytes("39"));
        }
        assertThat(procedures("plain")).isEmpty();
    }

    /** Consists of the bytes that take the most bytes in a message. */
    private static WriteBatch large(KeyValueStore store, List<byte[]> keys) {
        WriteBatch batch = new WriteBatch();
        keys.forEach(key -> batch.put("rows", key, new byte[store.capabilities().valueBytesMax()]));
        return batch;
    }
}
