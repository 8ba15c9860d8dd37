package petrichor.jobs.leased;

import static java.time.temporal.ChronoUnit.MILLIS;

import java.time.Instant;
import java.util.List;
import petrichor.cloud.Money;
import petrichor.cloud.leasing.CostReport;
import petrichor.cloud.leasing.LeaseJournal;
import petrichor.cloud.leasing.Leasing;
import petrichor.cloud.leasing.StageId;
import petrichor.cloud.local.LocalCloud;
import petrichor.cloud.local.LocalSetting;

/**
 * Settles all leases of a job whose process has ended in any way: kills its workers, releases its
 * machines, and computes their cost. Idempotent, except for the growing cost of machines that were
 * left.
 *
 * @param left machines that the cloud has not ended yet
 */
public record LeaseSettlement(JobCost cost, int left) {

    /**
     * Takes up to half a minute. FAILED_PRECONDITION while the job's process is still running.
     *
     * @param setting whose folder belongs to this job alone
     * @param job the name under which it leased
     */
    public static LeaseSettlement of(LeaseSetting setting, String job) {
        try (LocalCloud cloud = cloud(setting);
                LeaseJournal journal = LeasedMachines.journal(setting.folder())) {
            // They may still write files, which are removed next.
            LocalMachines.endWorkers(cloud, LeasedMachines.OWNER);
            Leasing leasing =
                    new Leasing(
                            Leasing.Parts.of(
                                    cloud, LeasedMachines.OWNER, journal, ClusterMachines.NOBODY),
                            LeasedMachines.limits(setting));
            ClusterMachines.giveBack(leasing);
            CostReport report = CostReport.of(job, journal.lines(), cloud, Instant.now());
            return new LeaseSettlement(cost(report), leasing.statuses().size());
        }
    }

    /** A cloud in which no machine is launched any more. */
    private static LocalCloud cloud(LeaseSetting setting) {
        return LocalCloud.open(
                new LocalSetting(
                        setting.folder(),
                        setting.types(),
                        _ -> List.of(),
                        setting.instancesMax(),
                        setting.billing(),
                        setting.spot()));
    }

    /** Converts to a form without cloud types, in whole milliseconds. */
    public static JobCost cost(CostReport report) {
        return new JobCost(
                report.job(),
                report.elapsed().truncatedTo(MILLIS),
                report.paid().micros(),
                report.fixedCluster().micros(),
                report.used().truncatedTo(MILLIS),
                report.idle().truncatedTo(MILLIS),
                report.stages().stream()
                        .map(
                                each ->
                                        new JobCost.Stage(
                                                each.stage().number(),
                                                each.machines(),
                                                each.used().truncatedTo(MILLIS),
                                                each.paid().micros()))
                        .toList());
    }

    /** The bill, for a terminal. */
    public static String text(JobCost cost) {
        return new CostReport(
                        cost.job(),
                        cost.elapsed(),
                        new Money(cost.paidMicros()),
                        new Money(cost.fixedClusterMicros()),
                        cost.used(),
                        cost.idle(),
                        cost.stages().stream()
                                .map(
                                        each ->
                                                new CostReport.StageCost(
                                                        new StageId(cost.job(), each.number()),
                                                        each.machines(),
                                                        each.used(),
                                                        new Money(each.paidMicros())))
                                .toList())
                .text();
    }
}
