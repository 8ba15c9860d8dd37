package petrichor.cloud;

import java.time.Duration;

/**
 * A type of machine that a cloud offers.
 *
 * @param name the cloud's name, such as {@code m1.small}
 * @param pricePerHour on demand
 * @param bootEstimate typical time from the launch until it runs
 */
public record InstanceType(
        String name,
        int cores,
        long memoryBytes,
        long diskBytes,
        Money pricePerHour,
        Duration bootEstimate) {
    public InstanceType {
        if (!name.matches("[A-Za-z0-9._-]{1,60}")) {
            throw new IllegalArgumentException("invalid name of an instance type: '" + name + "'");
        }
        if (cores < 1 || memoryBytes < 1 || diskBytes < 0 || pricePerHour.micros() < 0) {
            throw new IllegalArgumentException(
                    "a machine needs cores, memory and a price: " + name);
        }
        if (bootEstimate.isNegative()) {
            throw new IllegalArgumentException("boots in " + bootEstimate);
        }
    }

    /** Whether the type has at least these resources. */
    public boolean covers(int coresMin, long memoryBytesMin, long diskBytesMin) {
        return cores >= coresMin && memoryBytes >= memoryBytesMin && diskBytes >= diskBytesMin;
    }
}
