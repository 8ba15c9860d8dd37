package petrichor.kv.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.jdbc.SqlStoreCases.assertFails;
import static petrichor.kv.jdbc.SqlStoreCases.bytes;
import static petrichor.kv.jdbc.SqlStoreCases.open;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
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

/** One MariaDB, as it is, killed, silent, and configured in ways that must be refused. */
class MariaDbStoreTest implements SqlStoreOutageCases {

    @Override
    public RealStore server() {
        return RealStore.of(new MariaDbDeployment());
    }

    @Override
    public StoreUrl place(String name) {
        return StoreUrl.parse(server().url() + name + "?connections=8");
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
    public List<String> twoConflicts(String name) {
        return List.of(
                "CREATE SEQUENCE IF NOT EXISTS tries",
                "CREATE TRIGGER conflict BEFORE INSERT ON kv_rows FOR EACH ROW"
                        + " IF NEXTVAL(tries) <= 2 THEN"
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
    void batchThatDoesNotFitIntoOneMessageIsStillAllOrNothing() throws SQLException {
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

    /** Of the bytes that take the most room in a message. */
    private static WriteBatch large(KeyValueStore store, List<byte[]> keys) {
        WriteBatch batch = new WriteBatch();
        keys.forEach(key -> batch.put("rows", key, new byte[store.capabilities().valueBytesMax()]));
        return batch;
    }
}
