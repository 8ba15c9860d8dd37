package petrichor.server.metrics;

import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;

/** Metrics of the process and its JVM. */
public final class JvmMetrics {
    private static final Path STATM = Path.of("/proc/self/statm");
    private static final int PAGE_BYTES = 4_096;
    private static final double MILLIS_PER_SECOND = 1_000;

    private JvmMetrics() {}

    public static MetricSnapshots now() {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        Readings readings =
                new Readings()
                        .gauge("jvm_heap_used_bytes", "Heap in use.", heap.getUsed())
                        .gauge(
                                "jvm_heap_committed_bytes",
                                "Heap committed by the operating system.",
                                heap.getCommitted())
                        .gauge("jvm_heap_max_bytes", "Maximum heap.", heap.getMax())
                        .gauge(
                                "jvm_threads",
                                "Platform threads.",
                                ManagementFactory.getThreadMXBean().getThreadCount());
        ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .ifPresent(
                        used ->
                                readings.counter(
                                        "process_cpu_seconds_total",
                                        "Processor time used.",
                                        used.toMillis() / MILLIS_PER_SECOND));
        if (Files.isReadable(STATM)) {
            readings.gauge("process_resident_memory_bytes", "Resident memory.", residentBytes());
        }
        return readings.snapshots();
    }

    private static long residentBytes() {
        try {
            String[] pages = Files.readString(STATM).split(" ", 3);
            return Long.parseLong(pages[1]) * PAGE_BYTES;
        } catch (IOException | NumberFormatException unreadable) {
            return 0;
        }
    }
}
