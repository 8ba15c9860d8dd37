package petrichor.apps.hosting.cluster;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** Free memory and load of this machine. Thread-safe. */
public final class LocalMachine {
    private static final Path MEMORY = Path.of("/proc/meminfo");
    private static final String AVAILABLE = "MemAvailable:";

    private LocalMachine() {}

    public static ServerReading.Machine reading() {
        var system = ManagementFactory.getOperatingSystemMXBean();
        double load = system.getSystemLoadAverage() / system.getAvailableProcessors();
        return new ServerReading.Machine(
                availableBytes(), Double.isNaN(load) ? 0 : Math.clamp(load, 0, 1));
    }

    /** Without it, all servers have the same weight. */
    private static long availableBytes() {
        try {
            for (String line : Files.readAllLines(MEMORY)) {
                if (line.startsWith(AVAILABLE)) {
                    return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
                }
            }
        } catch (IOException notLinux) {
            // As below.
        }
        return Runtime.getRuntime().maxMemory();
    }
}
