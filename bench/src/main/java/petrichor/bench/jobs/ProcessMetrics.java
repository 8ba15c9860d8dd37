package petrichor.bench.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Resources used by this process since its start, as reported by the operating system. */
record ProcessMetrics(double wallSeconds, double cpuSeconds, long peakMegabytes) {
    static ProcessMetrics ofThis() throws IOException {
        ProcessHandle.Info info = ProcessHandle.current().info();
        double cpu = info.totalCpuDuration().map(ProcessMetrics::seconds).orElse(0.0);
        double wall =
                info.startInstant()
                        .map(start -> seconds(Duration.between(start, java.time.Instant.now())))
                        .orElse(0.0);
        long peak = 0;
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmHWM:")) {
                peak = Long.parseLong(line.replaceAll("[^0-9]", "")) >> 10;
            }
        }
        return new ProcessMetrics(wall, cpu, peak);
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    @Override
    public String toString() {
        return "wall %.2f s, cpu %.2f s, peak %d MB"
                .formatted(wallSeconds, cpuSeconds, peakMegabytes);
    }
}
