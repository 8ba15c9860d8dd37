package petrichor.bench.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A process and its descendants, polled periodically. The processor time of a descendant whose
 * parent has ended without waiting for it is part of no other process' time: its last known value
 * is added up here. Belongs to one thread.
 */
final class ProcessTree {
    private static final String RESIDENT = "VmRSS:";
    private static final String ENDED = "State:\tZ";

    /** The system ends a killed process at once, unless it is in the middle of a disk operation. */
    private static final Duration END_MAX = Duration.ofSeconds(5);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(2);

    private final ProcessHandle root;

    /** Processor seconds at the last poll. */
    private final Map<ProcessHandle, Double> seen = new HashMap<>();

    private final Set<ProcessHandle> orphans = new HashSet<>();
    private long peakBytes;

    ProcessTree(ProcessHandle root) {
        this.root = root;
    }

    /**
     * @return whether any process is running
     */
    boolean observe() {
        List<ProcessHandle> below = below(root).toList();
        for (ProcessHandle known : seen.keySet()) {
            if (known.isAlive() && !below.contains(known)) {
                orphans.add(known);
            }
        }
        List<ProcessHandle> all =
                Stream.concat(below.stream(), orphans.stream().flatMap(ProcessTree::below))
                        .distinct()
                        .toList();
        boolean anybody = false;
        long bytes = 0;
        for (ProcessHandle each : all) {
            each.info().totalCpuDuration().ifPresent(time -> seen.put(each, time.toMillis() / 1e3));
            List<String> status = status(each);
            anybody |= !ended(status);
            bytes += residentBytes(status);
        }
        peakBytes = Math.max(peakBytes, bytes);
        return anybody;
    }

    /** Processor seconds of the descendants for which no parent waited. */
    double uncounted() {
        return orphans.stream().mapToDouble(orphan -> seen.getOrDefault(orphan, 0.0)).sum();
    }

    long peakBytes() {
        return peakBytes;
    }

    /** Kills all processes, and returns when they have ended. */
    void end() {
        List<ProcessHandle> all =
                Stream.concat(below(root), orphans.stream().flatMap(ProcessTree::below)).toList();
        all.forEach(ProcessHandle::destroyForcibly);
        long limit = System.nanoTime() + END_MAX.toNanos();
        while (!all.stream().allMatch(each -> ended(status(each))) && System.nanoTime() < limit) {
            LockSupport.parkNanos(POLL_INTERVAL.toNanos());
        }
    }

    /** A zombie has ended, too, even if its parent does not collect its status for long. */
    private static boolean ended(List<String> status) {
        return status.isEmpty() || status.stream().anyMatch(line -> line.startsWith(ENDED));
    }

    private static Stream<ProcessHandle> below(ProcessHandle top) {
        return Stream.concat(Stream.of(top), top.descendants()).filter(ProcessHandle::isAlive);
    }

    private static List<String> status(ProcessHandle process) {
        try {
            return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"));
        } catch (IOException gone) {
            return List.of();
        }
    }

    private static long residentBytes(List<String> status) {
        return status.stream()
                .filter(line -> line.startsWith(RESIDENT))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                .sum();
    }
}
