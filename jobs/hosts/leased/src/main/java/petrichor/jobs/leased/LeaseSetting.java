package petrichor.jobs.leased;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.cloud.Billing;
import petrichor.cloud.InstanceType;
import petrichor.cloud.Money;
import petrichor.cloud.local.SpotPrices;
import petrichor.jobs.engine.workers.WorkerSource;

/**
 * How a job leases its machines.
 *
 * @param folder of the machines and of the lease journal, for recovery after a crash
 * @param types into which this machine is divided, with their nominal prices
 * @param machinesMax limit of a stage's machines
 * @param waitMax how long a stage waits for machines before the job fails
 * @param silentMax how long a machine may be without a worker before it is replaced
 * @param hangMax how long a running worker may send nothing before it is ended as hanging
 * @param spot prices of spot machines, if there are any
 * @param cut where stages end
 * @param jars with user code
 */
public record LeaseSetting(
        Path folder,
        List<InstanceType> types,
        Billing billing,
        int machinesMax,
        Duration waitMax,
        Duration silentMax,
        Duration hangMax,
        SpotPrices spot,
        StageCut cut,
        List<Path> jars) {
    public static final int MACHINES_MAX = 64;

    /** A useful JVM does not run with less. */
    public static final long MEMORY_BYTES_MIN = 192L << 20;

    private static final Duration BOOT = Duration.ofSeconds(2);

    /** Capacity for machines that are starting or ending. */
    private static final int SPARE = 2;

    public LeaseSetting {
        types = List.copyOf(types);
        jars = List.copyOf(jars);
        if (types.isEmpty()
                || types.stream().map(InstanceType::name).distinct().count() < types.size()) {
            throw PetrichorException.invalid("a cloud needs instance types with distinct names");
        }
        for (InstanceType type : types) {
            if (type.memoryBytes() < MEMORY_BYTES_MIN) {
                throw PetrichorException.invalid(
                        "machines of the type {type} need at least {mebibytesMin} MB of memory",
                        "type",
                        type.name(),
                        "mebibytesMin",
                        (MEMORY_BYTES_MIN >> 20));
            }
        }
        if (machinesMax < 1 || machinesMax > MACHINES_MAX) {
            throw PetrichorException.invalid(
                    "a stage may have 1 to " + MACHINES_MAX + " machines, not {machinesMax}",
                    "machinesMax",
                    machinesMax);
        }
    }

    /** Small and large machines, billed by the second, up to four at a time. */
    public static LeaseSetting in(Path folder) {
        return new LeaseSetting(
                folder,
                List.of(type("small", 1, 512, "0.10"), type("large", 2, 1024, "0.20")),
                Billing.PER_SECOND,
                4,
                Duration.ofMinutes(10),
                Duration.ofSeconds(10),
                WorkerSource.SILENT_MAX,
                SpotPrices.NONE,
                StageCut.MACHINES,
                List.of());
    }

    /**
     * A machine type of a local cloud.
     *
     * @param pricePerHour in dollars, such as {@code 0.10}
     */
    public static InstanceType type(String name, int cores, int megabytes, String pricePerHour) {
        return new InstanceType(
                name, cores, (long) megabytes << 20, 0, Money.parse(pricePerHour), BOOT);
    }

    /** Reads {@code NAME:CORES:MEGABYTES:PRICE}. */
    public static InstanceType type(String text) {
        String[] words = text.split(":", -1);
        try {
            if (words.length == 4) {
                return type(
                        words[0], Integer.parseInt(words[1]), Integer.parseInt(words[2]), words[3]);
            }
        } catch (IllegalArgumentException wrong) {
            // Reported below.
        }
        throw PetrichorException.invalid(
                "'{text}' is not an instance type; write NAME:CORES:MEGABYTES:DOLLARS_PER_HOUR",
                "text",
                text);
    }

    int instancesMax() {
        return machinesMax + SPARE;
    }

    public LeaseSetting withTypes(List<InstanceType> other) {
        return new LeaseSetting(
                folder, other, billing, machinesMax, waitMax, silentMax, hangMax, spot, cut, jars);
    }

    public LeaseSetting withBilling(Billing other) {
        return new LeaseSetting(
                folder, types, other, machinesMax, waitMax, silentMax, hangMax, spot, cut, jars);
    }

    public LeaseSetting withMachinesMax(int most) {
        return new LeaseSetting(
                folder, types, billing, most, waitMax, silentMax, hangMax, spot, cut, jars);
    }

    public LeaseSetting withWaitMax(Duration most) {
        return new LeaseSetting(
                folder, types, billing, machinesMax, most, silentMax, hangMax, spot, cut, jars);
    }

    public LeaseSetting withSilentMax(Duration most) {
        return new LeaseSetting(
                folder, types, billing, machinesMax, waitMax, most, hangMax, spot, cut, jars);
    }

    public LeaseSetting withHangMax(Duration most) {
        return new LeaseSetting(
                folder, types, billing, machinesMax, waitMax, silentMax, most, spot, cut, jars);
    }

    public LeaseSetting withSpot(SpotPrices prices) {
        return new LeaseSetting(
                folder,
                types,
                billing,
                machinesMax,
                waitMax,
                silentMax,
                hangMax,
                prices,
                cut,
                jars);
    }

    public LeaseSetting withCut(StageCut other) {
        return new LeaseSetting(
                folder,
                types,
                billing,
                machinesMax,
                waitMax,
                silentMax,
                hangMax,
                spot,
                other,
                jars);
    }

    public LeaseSetting withJars(List<Path> other) {
        return new LeaseSetting(
                folder, types, billing, machinesMax, waitMax, silentMax, hangMax, spot, cut, other);
    }
}
