package petrichor.server.config;

import java.lang.management.ManagementFactory;

/** Default size of the embedded store's block cache. */
final class EmbeddedCache {
    /** Inverse of the cache's share of the memory of the machine or container. */
    private static final int MEMORY_PARTS = 8;

    private static final long BYTES_MIN = 128 << 20;

    private EmbeddedCache() {}

    static long usualBytes() {
        return usualBytes(
                ManagementFactory.getOperatingSystemMXBean()
                                instanceof com.sun.management.OperatingSystemMXBean machine
                        ? machine.getTotalMemorySize()
                        : 0);
    }

    static long usualBytes(long memoryBytes) {
        return Math.max(memoryBytes / MEMORY_PARTS, BYTES_MIN);
    }
}
