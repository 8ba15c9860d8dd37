package petrichor.cli.jobs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.cloud.Billing;
import petrichor.jobs.leased.ClusterMachines;
import petrichor.jobs.leased.LeaseSetting;
import petrichor.jobs.leased.LeaseTerms;
import picocli.CommandLine.Option;

/** The options of `flink start` that let the cluster lease its machines. */
final class FlinkMachines {
    private static final String LOCAL = "local";
    private static final String FILE = "machines.properties";
    private static final String CLOUD = "cloud";
    private static final String DOLLARS = "0.10";

    @Option(
            names = "--cloud",
            paramLabel = "CLOUD",
            description = {
                "Add and remove task managers with the load, each on a leased machine. Available"
                        + " clouds: local, whose machines are processes on this host with their own"
                        + " cores and memory."
            })
    private @Nullable String cloud;

    @Option(
            names = "--machine-type",
            paramLabel = "NAME:CORES:MB:DOLLARS",
            description = {
                "Instance type of the local cloud, with its price per hour; repeatable. Default:"
                        + " standard, the size of a task manager, at 0.10"
            })
    private List<String> types = new ArrayList<>();

    @Option(
            names = "--billing",
            paramLabel = "UNIT",
            description = "Billing unit of the local cloud: second or hour. Default: second")
    private String billing = "second";

    @Option(
            names = "--machine-wait",
            paramLabel = "SECONDS",
            description = "Seconds that a job waits for machines before it fails. Default: 60")
    private int waitSeconds = 60;

    /** The lease settings of the cluster in a folder; empty if its task managers are permanent. */
    static Optional<ClusterMachines> in(Path folder) {
        Path file = folder.resolve(FILE);
        return Files.exists(file) ? Optional.of(ClusterMachines.read(file)) : Optional.empty();
    }

    /** Path of the file with the lease settings, which may not exist. */
    static Path file(Path folder) {
        return folder.toAbsolutePath().normalize().resolve(FILE);
    }

    /**
     * The lease settings chosen for the cluster in a folder; empty if none are.
     *
     * @param exists whether the cluster exists, in which case its settings cannot change
     */
    Optional<ClusterMachines> chosen(
            Path folder, boolean exists, int machines, int cores, int megabytes) {
        if (cloud == null) {
            return exists ? in(folder) : Optional.empty();
        }
        if (!LOCAL.equals(cloud)) {
            throw PetrichorException.invalid(
                    "there is no cloud '{cloud}'; available: local", "cloud", cloud);
        }
        if (exists && in(folder).isEmpty()) {
            throw PetrichorException.invalid(
                    "the cluster in {folder} does not use leased machines; name another folder",
                    "folder",
                    folder);
        }
        if (waitSeconds < 1) {
            throw PetrichorException.invalid("--machine-wait must be at least one second");
        }
        List<String> offered =
                types.isEmpty()
                        ? List.of("standard:" + cores + ":" + megabytes + ":" + DOLLARS)
                        : types;
        return Optional.of(
                ClusterMachines.of(
                        LeaseSetting.in(folder.resolve(CLOUD))
                                .withTypes(offered.stream().map(LeaseSetting::type).toList())
                                .withMachinesMax(machines)
                                .withBilling(
                                        CloudChoice.choice(
                                                                "--billing",
                                                                LeaseTerms.Unit.class,
                                                                billing)
                                                        == LeaseTerms.Unit.HOUR
                                                ? Billing.WHOLE_HOURS
                                                : Billing.PER_SECOND)
                                .withWaitMax(Duration.ofSeconds(waitSeconds))));
    }
}
