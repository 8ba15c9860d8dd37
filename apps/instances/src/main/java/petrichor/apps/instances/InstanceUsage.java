package petrichor.apps.instances;

import java.util.Optional;

/**
 * Resources of a running instance.
 *
 * @param memoryBytes empty where it is not measured
 * @param processes processes and threads; empty where they are not counted
 * @param memoryKills processes that the kernel ended at the memory limit
 * @param droppedLines of its output, above the rate limit
 */
public record InstanceUsage(
        Optional<Long> memoryBytes,
        Optional<Long> processes,
        long memoryKills,
        long droppedLines) {}
