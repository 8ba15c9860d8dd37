package petrichor.server.data;

import io.prometheus.metrics.model.snapshots.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import petrichor.server.metrics.Readings;
import petrichor.transactions.migration.MigrationStatus;

/** Metrics of the databases that are being moved to another store. */
final class MigrationReadings {
    /** Others have no series: each database is a label. */
    static final int DATABASES_MAX = 100;

    private static final double MICROS_PER_SECOND = 1e6;
    private static final String DATABASE = "database";

    private MigrationReadings() {}

    /**
     * @param migrations by the name of the database
     */
    static void add(Readings readings, Map<String, MigrationStatus> migrations) {
        List<Readings.Point> phases = new ArrayList<>();
        List<Readings.Point> copied = new ArrayList<>();
        List<Readings.Point> rates = new ArrayList<>();
        List<Readings.Point> lags = new ArrayList<>();
        List<Readings.Point> mismatches = new ArrayList<>();
        List<Readings.Point> blocked = new ArrayList<>();
        migrations.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .limit(DATABASES_MAX)
                .forEach(
                        one -> {
                            MigrationStatus now = one.getValue();
                            Labels labels = Labels.of(DATABASE, one.getKey());
                            Labels inPhase =
                                    labels.merge(Labels.of("to", now.to()))
                                            .merge(Labels.of("phase", now.phase().name()));
                            phases.add(new Readings.Point(inPhase, 1L));
                            copied.add(new Readings.Point(labels, now.copied().fraction()));
                            rates.add(new Readings.Point(labels, now.copied().rowsPerSecond()));
                            lags.add(
                                    new Readings.Point(
                                            labels, now.lagMicros() / MICROS_PER_SECOND));
                            mismatches.add(new Readings.Point(labels, now.compared().mismatches()));
                            blocked.add(
                                    new Readings.Point(labels, now.problem().isPresent() ? 1L : 0));
                        });
        readings.gauges(
                        "petrichor_migration_phase",
                        "1 for the phase of each database that is being migrated.",
                        phases)
                .gauges(
                        "petrichor_migration_copied_ratio",
                        "Share of the key ranges that has been copied.",
                        copied)
                .gauges(
                        "petrichor_migration_rows_per_second",
                        "Rows copied per second; 0 after the copy.",
                        rates)
                .gauges(
                        "petrichor_migration_lag_seconds",
                        "How far the store that follows is behind.",
                        lags)
                .gauges(
                        "petrichor_migration_mismatches",
                        "Rows that differed in the last comparison of both stores.",
                        mismatches)
                .gauges(
                        "petrichor_migration_blocked",
                        "1 if a migration makes no progress at the moment.",
                        blocked);
    }
}
