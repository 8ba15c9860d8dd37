package petrichor.bench.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A process and its descendants, as they are seen from time to time. A descendant whose parent has
 * ended without waiting for it belongs to nobody whose processor time would include it: what was
 * last seen of it is added up here. Belongs to one thread.
 */
final class ProcessTree {
    private static final String RESIDENT = "VmRSS:";
    private static final String ENDED = "State:\tZ";

    private final ProcessHandle root;

    /** Processor seconds when last seen. */
    private final Map<ProcessHandle, Double> seen = new HashMap<>();

    private final Set<ProcessHandle> orphans = new HashSet<>();
    private long peakBytes;

    ProcessTree(ProcessHandle root) {
        this.root = root;
    }

    /**
     * @return whether anybody is there
     */
    boolean look() {
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
            // One that has ended may wait for long to be asked how.
            anybody |= status.stream().noneMatch(line -> line.startsWith(ENDED));
            bytes += residentBytes(status);
        }
        peakBytes = Math.max(peakBytes, bytes);
        return anybody;
    }

    /** Processor seconds of those that nobody waited for. */
    double uncounted() {
        return orphans.stream().mapToDouble(orphan -> seen.getOrDefault(orphan, 0.0)).sum();
    }

    long peakBytes() {
        return peakBytes;
    }

    /** Nothing of it runs on. */
    void end() {
        Stream.concat(below(root), orphans.stream().flatMap(ProcessTree::below))
                .toList()
                .forEach(ProcessHandle::destroyForcibly);
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
