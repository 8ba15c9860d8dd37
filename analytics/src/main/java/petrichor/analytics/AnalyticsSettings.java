package petrichor.analytics;

import java.nio.file.Path;

/**
 * Limits of the worker.
 *
 * @param folder for segments and temporary files; created, and emptied at the start. Only this
 *     process uses it
 * @param memoryBytes of DuckDB; at least {@link #MEMORY_BYTES_MIN}
 * @param diskBytes of all segments, and again of temporary files
 * @param threads of DuckDB, and key ranges that are read at the same time
 */
public record AnalyticsSettings(Path folder, long memoryBytes, long diskBytes, int threads) {
    public static final long MEMORY_BYTES_MIN = 64L << 20;

    public AnalyticsSettings {
        if (memoryBytes < MEMORY_BYTES_MIN) {
            throw new IllegalArgumentException("memory must be at least 64 MiB");
        }
        if (diskBytes <= 0 || threads <= 0) {
            throw new IllegalArgumentException("limits must be positive");
        }
    }

    /** Half of the processors. */
    public static int defaultThreads() {
        return Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    }
}
