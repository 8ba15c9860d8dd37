package petrichor.server;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import petrichor.frontends.datastore.Page;

/** {@code /metrics} in Prometheus' text format: what every part says of itself, then the JVM. */
final class MetricsPage {
    private static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";
    private static final Path STATM = Path.of("/proc/self/statm");
    private static final int PAGE_BYTES = 4_096;

    private final List<Consumer<StringBuilder>> parts;

    MetricsPage(List<Consumer<StringBuilder>> parts) {
        this.parts = List.copyOf(parts);
    }

    Page page() {
        return new Page("GET", "/metrics", Page.Access.TOKEN, Page.Lane.HEALTH, this::answer);
    }

    private Page.Answer answer(Page.Request request) {
        StringBuilder out = new StringBuilder(8_192);
        for (Consumer<StringBuilder> part : parts) {
            part.accept(out);
        }
        writeJvm(out);
        return new Page.Answer(200, TYPE, out.toString(), null);
    }

    static void gauge(StringBuilder out, String name, String help, long value) {
        write(out, "gauge", name, help, value);
    }

    static void counter(StringBuilder out, String name, String help, long value) {
        write(out, "counter", name, help, value);
    }

    private static void write(
            StringBuilder out, String type, String name, String help, Number value) {
        out.append("# HELP ").append(name).append(' ').append(help).append('\n');
        out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        out.append(name).append(' ').append(value).append('\n');
    }

    private static void writeJvm(StringBuilder out) {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        gauge(out, "jvm_heap_used_bytes", "Heap in use.", heap.getUsed());
        gauge(
                out,
                "jvm_heap_committed_bytes",
                "Heap committed by the operating system.",
                heap.getCommitted());
        gauge(out, "jvm_heap_max_bytes", "Maximum heap.", heap.getMax());
        gauge(
                out,
                "jvm_threads",
                "Platform threads.",
                ManagementFactory.getThreadMXBean().getThreadCount());
        ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .ifPresent(
                        used ->
                                write(
                                        out,
                                        "counter",
                                        "process_cpu_seconds_total",
                                        "Processor time used.",
                                        used.toMillis() / 1000.0));
        if (Files.isReadable(STATM)) {
            gauge(out, "process_resident_memory_bytes", "Resident memory.", residentBytes());
        }
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
