package petrichor.jobs.leased;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.cloud.Billing;

/**
 * The leasing options of a submission, independent of the machine on which the job will run. Pure
 * data.
 *
 * @param types of machines, each as {@code NAME:CORES:MEGABYTES:DOLLARS_PER_HOUR}
 * @param machinesMax limit of a stage's machines
 * @param cut where stages end
 * @param billing unit of the bill
 * @param waitMax how long a stage waits for machines before the job fails
 */
public record LeaseTerms(
        List<String> types, int machinesMax, StageCut cut, Unit billing, Duration waitMax) {
    public static final int TYPES_MAX = 100;

    public static final LeaseTerms STANDARD =
            new LeaseTerms(
                    List.of("small:1:512:0.10", "large:2:1024:0.20"),
                    4,
                    StageCut.MACHINES,
                    Unit.SECOND,
                    Duration.ofMinutes(10));

    /** Unit of a bill. */
    public enum Unit {
        SECOND,
        HOUR;

        private Billing billing() {
            return switch (this) {
                case SECOND -> Billing.PER_SECOND;
                case HOUR -> Billing.WHOLE_HOURS;
            };
        }
    }

    public LeaseTerms {
        types = List.copyOf(types);
        if (types.size() > TYPES_MAX) {
            throw PetrichorException.invalid(
                    "a cloud has at most " + TYPES_MAX + " instance types");
        }
        if (waitMax.compareTo(Duration.ofSeconds(1)) < 0) {
            throw PetrichorException.invalid(
                    "a stage must wait at least one second for its machines");
        }
        // Fails at submission, rather than where the job runs.
        setting(Path.of(""), types, machinesMax, cut, billing, waitMax);
    }

    public LeaseTerms withTypes(List<String> other) {
        return new LeaseTerms(other, machinesMax, cut, billing, waitMax);
    }

    /** The setting with these terms, with machines and leases in this folder. */
    public LeaseSetting in(Path folder) {
        return setting(folder, types, machinesMax, cut, billing, waitMax);
    }

    private static LeaseSetting setting(
            Path folder,
            List<String> types,
            int machinesMax,
            StageCut cut,
            Unit billing,
            Duration waitMax) {
        return LeaseSetting.in(folder)
                .withTypes(types.stream().map(LeaseSetting::type).toList())
                .withMachinesMax(machinesMax)
                .withCut(cut)
                .withBilling(billing.billing())
                .withWaitMax(waitMax);
    }
}
