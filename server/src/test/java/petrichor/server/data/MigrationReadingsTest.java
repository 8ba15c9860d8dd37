package petrichor.server.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import petrichor.server.metrics.Readings;
import petrichor.transactions.migration.MigrationPhase;
import petrichor.transactions.migration.MigrationStatus;

final class MigrationReadingsTest {
    private static MigrationStatus status(MigrationPhase phase, Optional<String> problem) {
        return new MigrationStatus(
                "home",
                "pg",
                phase,
                false,
                1,
                2_500_000,
                new MigrationStatus.Copied(10, 20, 0.5, 1_000, 3),
                new MigrationStatus.Compared(7, 10, 4, List.of("row")),
                problem);
    }

    private static String exposed(Map<String, MigrationStatus> migrations) throws IOException {
        Readings readings = new Readings();
        MigrationReadings.add(readings, migrations);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrometheusTextFormatWriter.create().write(out, readings.snapshots());
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void phaseRateLagAndMismatchesAreExposed() throws IOException {
        assertThat(
                        exposed(
                                Map.of(
                                        "shop/",
                                        status(MigrationPhase.COPY, Optional.of("unreachable")),
                                        "blog/",
                                        status(MigrationPhase.READY, Optional.empty()))))
                .contains(
                        "petrichor_migration_phase{database=\"shop/\",phase=\"COPY\",to=\"pg\"}"
                                + " 1.0",
                        "petrichor_migration_phase{database=\"blog/\",phase=\"READY\",to=\"pg\"}"
                                + " 1.0",
                        "petrichor_migration_copied_ratio{database=\"shop/\"} 0.5",
                        "petrichor_migration_rows_per_second{database=\"shop/\"} 1000.0",
                        "petrichor_migration_lag_seconds{database=\"shop/\"} 2.5",
                        "petrichor_migration_mismatches{database=\"shop/\"} 4.0",
                        "petrichor_migration_blocked{database=\"shop/\"} 1.0",
                        "petrichor_migration_blocked{database=\"blog/\"} 0.0");
    }

    @Test
    void theNumberOfSeriesIsLimited() throws IOException {
        Map<String, MigrationStatus> many =
                IntStream.range(0, MigrationReadings.DATABASES_MAX + 20)
                        .boxed()
                        .collect(
                                Collectors.toMap(
                                        n -> "p" + n,
                                        _ -> status(MigrationPhase.COPY, Optional.empty())));
        assertThat(exposed(many).lines().filter(line -> line.startsWith("petrichor_migration_lag")))
                .hasSize(MigrationReadings.DATABASES_MAX);
    }
}
