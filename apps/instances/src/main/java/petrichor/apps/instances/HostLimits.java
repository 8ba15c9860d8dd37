package petrichor.apps.instances;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import petrichor.base.PetrichorException;

/**
 * Limits of all instances of a host together.
 *
 * @param memoryBytesMax sum of the memory limits of the instances
 * @param startsMax instances that start at the same time; others wait, because a start uses a core
 */
public record HostLimits(int instancesMax, int startsMax, long memoryBytesMax) {
    /** Share of the machine's memory for instances by default; the rest is for the platform. */
    private static final double MEMORY_SHARE = 0.75;

    private static final int INSTANCES_MAX_DEFAULT = 200;
    private static final Path MEMORY = Path.of("/proc/meminfo");

    public HostLimits {
        if (instancesMax < 1 || startsMax < 1 || memoryBytesMax < 1) {
            throw PetrichorException.invalid("a limit of the host of instances is not positive");
        }
    }

    /**
     * Checks that the limits fit the machine.
     *
     * @param machineBytes the machine's memory
     */
    public HostLimits fitting(long machineBytes) {
        if (memoryBytesMax > machineBytes) {
            throw PetrichorException.invalid(
                    "instances may use {bytesMax} bytes of memory in total, but the machine has"
                            + " only {machineBytes}; choose a lower limit",
                    "bytesMax",
                    memoryBytesMax,
                    "machineBytes",
                    machineBytes);
        }
        return this;
    }

    /** Limits that fit a machine with this much memory and this many cores. */
    public static HostLimits of(long machineBytes, int cores) {
        return new HostLimits(
                INSTANCES_MAX_DEFAULT,
                Math.max(1, cores),
                Math.max(1, (long) (machineBytes * MEMORY_SHARE)));
    }

    public static HostLimits ofThisMachine() {
        return of(machineBytes(), Runtime.getRuntime().availableProcessors());
    }

    /** The machine's memory; {@link Long#MAX_VALUE} where it is unknown. */
    static long machineBytes() {
        try {
            for (String line : Files.readAllLines(MEMORY)) {
                if (line.startsWith("MemTotal:")) {
                    String kilobytes = line.replaceAll("[^0-9]", "");
                    return Long.parseLong(kilobytes) << 10;
                }
            }
        } catch (IOException notLinux) {
            // The sum of the limits is then not checked.
        }
        return Long.MAX_VALUE;
    }
}
