package petrichor.kv.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.failure;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.kv.StoreLimits;

/** Checks of servers that are not available in tests. */
class RedisFitnessTest {
    private static final String INFO =
            """
            # Server\r
            redis_version:7.0.15\r
            redis_mode:standalone\r
            # Replication\r
            role:master\r
            """;
    private static final Map<String, String> SETTINGS =
            Map.of(
                    "appendonly", "yes",
                    "appendfsync", "always",
                    "no-appendfsync-on-rewrite", "no",
                    "maxmemory-policy", "noeviction");

    @Test
    void suitableServerIsAccepted() {
        fitness(INFO, SETTINGS).require();
    }

    @Test
    void limitsComeFromTheServer() {
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.put("proto-max-bulk-len", "3000000");
        settings.put("client-query-buffer-limit", "16777216");
        StoreLimits limits = fitness(INFO, settings).limits();
        assertThat(limits.valueBytesMax()).isEqualTo(3_000_000);
        assertThat(limits.batchBytesMax()).isBetween(8_000_000L, 8L << 20);
        settings.put("client-query-buffer-limit", "1073741824");
        assertThat(fitness(INFO, settings).limits().batchBytesMax()).isGreaterThan(500_000_000L);
        settings.remove("proto-max-bulk-len");
        assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> fitness(INFO, settings).limits()))
                .contains("proto-max-bulk-len");
    }

    @Test
    void oldServerIsRefused() {
        String old = INFO.replace("7.0.15", "6.2.14");
        assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> fitness(old, SETTINGS).require()))
                .contains("Redis 6.2.14");
    }

    @Test
    void clusterIsRefused() {
        String cluster = INFO.replace("standalone", "cluster");
        assertThat(
                        failure(
                                ErrorCode.FAILED_PRECONDITION,
                                () -> fitness(cluster, SETTINGS).require()))
                .contains("cluster-enabled no");
    }

    @Test
    void missingSettingIsRefused() {
        for (String setting : SETTINGS.keySet()) {
            Map<String, String> settings = new HashMap<>(SETTINGS);
            settings.remove(setting);
            assertThat(
                            failure(
                                    ErrorCode.FAILED_PRECONDITION,
                                    () -> fitness(INFO, settings).require()))
                    .contains(setting);
        }
    }

    private static RedisFitness fitness(String info, Map<String, String> settings) {
        return new RedisFitness("redis://a/x", RedisFitness.parsed(info), settings);
    }
}
