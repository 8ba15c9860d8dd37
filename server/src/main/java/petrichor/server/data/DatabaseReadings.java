package petrichor.server.data;

import java.util.List;
import java.util.function.ToLongFunction;
import petrichor.server.metrics.Readings;
import petrichor.transactions.DatabaseMetrics;
import petrichor.transactions.databases.RowDatabase;

/**
 * Metrics summed over all open databases. Databases are not labels, because their number is
 * unbounded.
 */
final class DatabaseReadings {
    private DatabaseReadings() {}

    static void add(Readings readings, List<RowDatabase> open) {
        List<DatabaseMetrics> all = open.stream().map(RowDatabase::metrics).toList();
        counter(readings, "commits", "Committed transactions.", all, DatabaseMetrics::commits);
        counter(
                readings,
                "conflicts",
                "Transactions aborted by a conflict with another commit.",
                all,
                DatabaseMetrics::conflicts);
        counter(
                readings,
                "refusals",
                "Transactions aborted for other reasons.",
                all,
                DatabaseMetrics::refusals);
        counter(
                readings,
                "syncs",
                "Group commits; transactions committed per group commit is the batch size.",
                all,
                DatabaseMetrics::syncs);
        counter(
                readings,
                "recoveries",
                "Group commits that failed and were recovered.",
                all,
                DatabaseMetrics::recoveries);
        readings.gauge(
                "petrichor_transactions_batch_max",
                "Largest number of commits in one group commit.",
                all.stream().mapToLong(DatabaseMetrics::batchCommitsMax).max().orElse(0));
        readings.gauge(
                "petrichor_transactions_open",
                "Open transactions.",
                sum(all, DatabaseMetrics::openTransactions));
        readings.gauge(
                "petrichor_transactions_lock_waits",
                "Commits and reads waiting for locks.",
                sum(all, DatabaseMetrics::lockWaits));
        readings.gauge(
                "petrichor_transactions_queued_bytes",
                "Commits waiting for the sequencer.",
                sum(all, DatabaseMetrics::queuedBytes));
    }

    private static void counter(
            Readings readings,
            String name,
            String help,
            List<DatabaseMetrics> all,
            ToLongFunction<DatabaseMetrics> metric) {
        readings.counter("petrichor_transactions_" + name + "_total", help, sum(all, metric));
    }

    private static long sum(List<DatabaseMetrics> all, ToLongFunction<DatabaseMetrics> metric) {
        return all.stream().mapToLong(metric).sum();
    }
}
