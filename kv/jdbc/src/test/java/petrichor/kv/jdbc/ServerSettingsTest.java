package petrichor.kv.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Settings of servers that are not available in tests: old versions, standbys, and settings that
 * need a restart.
 */
class ServerSettingsTest {
    private static final Map<String, String> POSTGRES =
            Map.of(
                    "version", "PostgreSQL 15.14 on x86_64-pc-linux-gnu",
                    "number", "150014",
                    "standby", "f",
                    "fsync", "on",
                    "full_page_writes", "on",
                    "synchronous_commit", "on",
                    "read_only", "off");

    private static final Map<String, String> MARIADB =
            Map.of(
                    "version", "10.11.14-MariaDB-log",
                    "read_only", "OFF",
                    "innodb_flush_log_at_trx_commit", "1",
                    "innodb_doublewrite", "ON",
                    "log_bin", "ON",
                    "sync_binlog", "1");

    @Test
    void correctSettingsAreAccepted() {
        assertThat(PostgresDialect.unfit(POSTGRES)).isEmpty();
        assertThat(MariaDbDialect.unfit(MARIADB)).isEmpty();
        assertThat(MariaDbDialect.unfit(with(with(MARIADB, "log_bin", "OFF"), "sync_binlog", "0")))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "version, CockroachDB 24, PostgreSQL 12",
        "number, 110022, PostgreSQL 12",
        "standby, t, primary",
        "fsync, off, fsync",
        "full_page_writes, off, full_page_writes",
        "synchronous_commit, off, synchronous_commit",
        "read_only, on, default_transaction_read_only"
    })
    void postgresThatPromisesLessIsRefused(String setting, String value, String said) {
        assertThat(PostgresDialect.unfit(with(POSTGRES, setting, value)).orElse("")).contains(said);
    }

    @ParameterizedTest
    @CsvSource({
        "version, 8.0.36, MariaDB 10.6",
        "version, 10.5.27-MariaDB, MariaDB 10.6",
        "version, 9.99.1-MariaDB, MariaDB 10.6",
        "read_only, ON, read_only",
        "innodb_flush_log_at_trx_commit, 2, innodb_flush_log_at_trx_commit",
        "innodb_doublewrite, OFF, innodb_doublewrite",
        "sync_binlog, 0, sync_binlog"
    })
    void mariaDbThatPromisesLessIsRefused(String setting, String value, String said) {
        Optional<String> refusal = MariaDbDialect.unfit(with(MARIADB, setting, value));
        assertThat(refusal.orElse("")).contains(said);
    }

    private static Map<String, String> with(
            Map<String, String> settings, String setting, String value) {
        Map<String, String> changed = new HashMap<>(settings);
        changed.put(setting, value);
        return changed;
    }
}
