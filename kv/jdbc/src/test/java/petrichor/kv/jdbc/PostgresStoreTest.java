package petrichor.kv.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.jdbc.SqlStoreCases.assertFails;
import static petrichor.kv.jdbc.SqlStoreCases.open;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.RealStore;

/**
 * PostgreSQL: with default settings, killed, unresponsive, and configured in ways that must be
 * refused.
 */
class PostgresStoreTest implements SqlStoreOutageCases {

    @Override
    public RealStore server() {
        return RealStore.of(new PostgresDeployment());
    }

    @Override
    public StoreUrl place(String name) {
        return StoreUrl.parse(server().url() + "?connections=8&timeout=60s&schema=" + name);
    }

    @Override
    public Connection operator(String name) throws SQLException {
        StoreUrl url = place(name);
        Properties properties = new Properties();
        properties.put("user", url.user().orElseThrow());
        properties.put("password", url.password().orElseThrow());
        properties.put("currentSchema", name);
        String address = "jdbc:postgresql://" + url.nodes().getFirst() + "/" + url.name();
        return PostgresDialect.connect(address, properties);
    }

    @Override
    public String countOfWaiting() {
        return "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    }

    @Override
    public String endOfConnections() {
        return "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type ="
                + " 'client backend' AND pid <> pg_backend_pid()";
    }

    @Override
    public String endOfWaiting() {
        return "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type ="
                + " 'Lock'";
    }

    @Override
    public List<String> conflicts(String name, int count) {
        return List.of(
                "CREATE SEQUENCE IF NOT EXISTS tries",
                "CREATE OR REPLACE FUNCTION conflict() RETURNS trigger AS $$ BEGIN"
                        + " IF nextval('"
                        + name
                        + ".tries') <= "
                        + count
                        + " THEN"
                        + " RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END IF;"
                        + " RETURN NEW; END $$ LANGUAGE plpgsql",
                "CREATE TRIGGER conflict BEFORE INSERT ON kv_rows FOR EACH ROW"
                        + " EXECUTE FUNCTION conflict()");
    }

    @Override
    public List<String> slowDeletes() {
        return List.of(
                "CREATE OR REPLACE FUNCTION slow() RETURNS trigger AS $$ BEGIN"
                        + " PERFORM pg_sleep(3); RETURN OLD; END $$ LANGUAGE plpgsql",
                "CREATE TRIGGER slow BEFORE DELETE ON kv_rows FOR EACH ROW"
                        + " EXECUTE FUNCTION slow()");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fsync", "full_page_writes", "synchronous_commit"})
    void serverThatDoesNotWaitForItsDiskIsRefused(String setting) throws SQLException {
        administer("public", "ALTER SYSTEM SET " + setting + " = off", "SELECT pg_reload_conf()");
        try {
            assertThat(assertFails(ErrorCode.FAILED_PRECONDITION, () -> openWhenReloaded(true)))
                    .hasMessageContaining(setting);
        } finally {
            administer("public", "ALTER SYSTEM RESET " + setting, "SELECT pg_reload_conf()");
        }
        openWhenReloaded(false);
    }

    /** A server reloads its settings a moment after the request to do so. */
    private void openWhenReloaded(boolean refused) {
        long end = System.nanoTime() + 10_000_000_000L;
        while (System.nanoTime() < end) {
            try {
                open(place("weak")).close();
                if (!refused) {
                    return;
                }
            } catch (PetrichorException e) {
                if (refused) {
                    throw e;
                }
            }
        }
    }

    @Test
    void userWhoMayOnlyReadIsRefused() throws SQLException {
        administer("public", "ALTER DATABASE petrichor SET default_transaction_read_only = on");
        try {
            assertThat(assertFails(ErrorCode.FAILED_PRECONDITION, () -> open(place("readonly"))))
                    .hasMessageContaining("default_transaction_read_only");
        } finally {
            administer(
                    "public",
                    "SET default_transaction_read_only = off",
                    "ALTER DATABASE petrichor RESET default_transaction_read_only");
        }
    }

    @Test
    void missingDatabaseIsNamed() {
        StoreUrl url = SqlStoreCases.changed(place("x"), "/petrichor?", "/nowhere?");
        assertThat(assertFails(ErrorCode.FAILED_PRECONDITION, () -> open(url)))
                .hasMessageContaining("nowhere");
    }
}
