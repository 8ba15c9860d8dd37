package petrichor.kv.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.jdbc.SqlStoreCases.assertFails;
import static petrichor.kv.jdbc.SqlStoreCases.open;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.RealStore;

/** PostgreSQL, as it is, killed, silent, and configured in ways that must be refused. */
class PostgresStoreTest implements SqlStoreOutageCases {

    @Override
    public RealStore server() {
        return RealStore.of(new PostgresDeployment());
    }

    @Override
    public StoreUrl place(String name) {
        return StoreUrl.parse(server().url() + "?connections=8&schema=" + name);
    }

    @Override
    public void administer(String name, String... statements) throws SQLException {
        StoreUrl url = place(name);
        Properties properties = new Properties();
        properties.put("user", url.user().orElseThrow());
        properties.put("password", url.password().orElseThrow());
        properties.put("currentSchema", name);
        String address = "jdbc:postgresql://" + url.nodes().getFirst() + "/" + url.name();
        try (Connection connection = PostgresDialect.connect(address, properties);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
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

    /** A server reads its settings again a moment after it was told to. */
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
    void databaseThatDoesNotExistIsNamed() {
        StoreUrl url = SqlStoreCases.changed(place("x"), "/petrichor?", "/nowhere?");
        assertThat(assertFails(ErrorCode.FAILED_PRECONDITION, () -> open(url)))
                .hasMessageContaining("nowhere");
    }
}
