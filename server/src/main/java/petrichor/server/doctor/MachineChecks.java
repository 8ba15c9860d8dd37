package petrichor.server.doctor;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * Checks the Java version and the limits of this process, which a server started in the same way
 * would have.
 */
final class MachineChecks {
    private static final int JAVA_MIN = 25;
    private static final long HEAP_BYTES_MIN = 256L << 20;

    /** The rest of the memory is for the block cache, threads, and the file system's cache. */
    private static final int HEAP_PERCENT_MAX = 75;

    private static final long HANDLES_MIN = 1_024;
    private static final long HANDLES_ENOUGH = 8_192;

    private MachineChecks() {}

    static List<Finding> all() {
        return List.of(
                java(Runtime.version().feature()),
                heap(Runtime.getRuntime().maxMemory(), memoryBytes()),
                handles(handlesMax()));
    }

    static Finding java(int feature) {
        String what = "Java " + feature + " in " + System.getProperty("java.home");
        return feature >= JAVA_MIN
                ? Finding.ok("java", what)
                : Finding.failed("java", what, "install a JDK " + JAVA_MIN + " or newer");
    }

    static Finding heap(long heap, long memory) {
        String what = "heap of at most " + Sizes.text(heap) + ", memory " + Sizes.text(memory);
        if (heap < HEAP_BYTES_MIN) {
            return Finding.warning(
                    "heap", what, "give the server at least -Xmx256m by JAVA_TOOL_OPTIONS");
        }
        if (heap > memory / 100 * HEAP_PERCENT_MAX) {
            return Finding.warning(
                    "heap",
                    what,
                    "leave a quarter of the memory for caches outside the heap: lower -Xmx");
        }
        return Finding.ok("heap", what);
    }

    static Finding handles(long max) {
        String what = "this process may open " + max + " files";
        String remedy = "raise the limit: ulimit -n 65536, or LimitNOFILE=65536 of a systemd unit";
        if (max < HANDLES_MIN) {
            return Finding.failed("file-handles", what, remedy);
        }
        return max < HANDLES_ENOUGH
                ? Finding.warning("file-handles", what, remedy)
                : Finding.ok("file-handles", what);
    }

    private static long memoryBytes() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getTotalMemorySize()
                : Long.MAX_VALUE;
    }

    private static long handlesMax() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof UnixOperatingSystemMXBean unix
                ? unix.getMaxFileDescriptorCount()
                : Long.MAX_VALUE;
    }
}
