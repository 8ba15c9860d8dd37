package petrichor.kv.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The write limits that nodes report, and the resulting maximum size of a value. */
class WriteLimitsTest {
    private static final int EIGHT_MEBIBYTES = 8 << 20;

    private static int valueBytesMax(Map<String, String> settings) {
        return CassandraFitness.valueBytesMax(
                settings.keySet(), name -> settings.getOrDefault(name, ""));
    }

    @Test
    void smallestLimitApplies() {
        Map<String, String> settings = new HashMap<>();
        settings.put("commitlog_segment_size", "32MiB");
        settings.put("max_mutation_size", "16MiB");
        settings.put("native_transport_max_message_size", "12974489B");
        assertThat(valueBytesMax(settings)).isBetween(EIGHT_MEBIBYTES - 300_000, EIGHT_MEBIBYTES);
        settings.put("max_mutation_size", "4MiB");
        assertThat(valueBytesMax(settings)).isBetween(1_900_000, 2 << 20);
        settings.put("native_transport_max_message_size", "1000000B");
        assertThat(valueBytesMax(settings)).isBetween(800_000, 1_000_000);
        settings.put("column_value_size_fail_threshold", "512KiB");
        assertThat(valueBytesMax(settings)).isBetween(300_000, 512 << 10);
    }

    @Test
    void unsetLimitsAreIgnored() {
        assertThat(
                        valueBytesMax(
                                Map.of(
                                        "column_value_size_fail_threshold",
                                        "null",
                                        "commitlog_segment_size",
                                        "32MiB")))
                .isGreaterThan(7_900_000);
    }
}
