package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;
import petrichor.transactions.TransactionLimits;

/** Tests the configured timeouts of transactions and locks, and the retention of versions. */
class TransactionTimesTest {
    @Test
    void theDefaultsAreThoseOfTheTransactions() {
        assertThat(limits(Map.of())).isEqualTo(TransactionLimits.DEFAULT);
    }

    @Test
    void eachKeyChangesItsTime() {
        TransactionLimits limits =
                limits(
                        Map.of(
                                "PETRICHOR_TRANSACTIONS__LOCK_WAIT", "700ms",
                                "PETRICHOR_TRANSACTIONS__IDLE_TIMEOUT", "20s",
                                "PETRICHOR_TRANSACTIONS__TOTAL_TIMEOUT", "10m",
                                "PETRICHOR_TRANSACTIONS__RETENTION", "24h"));
        assertThat(limits.lockWait()).isEqualTo(Duration.ofMillis(700));
        assertThat(limits.transactionIdle()).isEqualTo(Duration.ofSeconds(20));
        assertThat(limits.transactionTotal()).isEqualTo(Duration.ofMinutes(10));
        assertThat(limits.retention()).isEqualTo(Duration.ofHours(24));
    }

    private static TransactionLimits limits(Map<String, String> environment) {
        return ServerConfig.of(Settings.read(Optional.empty(), environment, Map.of()))
                .transactions()
                .limits();
    }
}
