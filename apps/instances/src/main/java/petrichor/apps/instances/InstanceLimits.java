package petrichor.apps.instances;

import petrichor.base.PetrichorException;

/**
 * Limits of one instance, for all its processes together.
 *
 * @param memoryBytesMax including its temporary files, as on App Engine
 * @param cpuMillisMax thousandths of a core, when the instance is ready
 * @param processesMax processes and threads
 */
public record InstanceLimits(long memoryBytesMax, int cpuMillisMax, int processesMax) {
    /** Below this, an interpreter does not start. */
    private static final long MEMORY_BYTES_MIN = 16 << 20;

    private static final int CPU_MILLIS_MIN = 10;
    private static final int PROCESSES_MIN = 8;

    /**
     * An interpreter that loads an app uses one core. With the quarter of a core of class F1 it
     * took two to three times as long, while a request waited. The start has its own time limit.
     */
    private static final int STARTING_CPU_MILLIS_MIN = 1_000;

    /** App Engine's instance class F1 has 384 MB; a JVM has about 50 threads, a pool a few. */
    public static final InstanceLimits DEFAULT = new InstanceLimits(384L << 20, 1_000, 512);

    public InstanceLimits {
        atLeast("bytes of memory", memoryBytesMax, MEMORY_BYTES_MIN);
        atLeast("thousandths of a core", cpuMillisMax, CPU_MILLIS_MIN);
        atLeast("processes", processesMax, PROCESSES_MIN);
    }

    private static void atLeast(String unit, long value, long min) {
        if (value < min) {
            throw PetrichorException.invalid(
                    "an instance cannot run with {value} {unit}; the minimum is {min}",
                    "value",
                    value,
                    "unit",
                    unit,
                    "min",
                    min);
        }
    }

    /** The limits before an instance is ready. */
    InstanceLimits whileStarting() {
        return new InstanceLimits(
                memoryBytesMax, Math.max(cpuMillisMax, STARTING_CPU_MILLIS_MIN), processesMax);
    }

    public InstanceLimits withMemoryBytesMax(long bytes) {
        return new InstanceLimits(bytes, cpuMillisMax, processesMax);
    }
}
