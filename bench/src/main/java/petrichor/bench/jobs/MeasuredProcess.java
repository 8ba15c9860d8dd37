package petrichor.bench.jobs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A completed command, and the resources used by it and its descendants. The shell measures
 * processor time, because a process that has ended can no longer be measured; polling adds what the
 * shell cannot measure: descendants for which no parent waited, and memory.
 *
 * @param cpuSeconds of it and of all descendants
 * @param peakMegabytes peak of the resident memory of all of them together; 0 where that is unknown
 */
record MeasuredProcess(double wallSeconds, double cpuSeconds, long peakMegabytes) {
    private static final String MARK = "measured:";
    private static final long SAMPLE_MILLIS = 50;

    /** Descendants that are still running this long after the command has ended are killed. */
    private static final Duration STRAGGLERS_MAX = Duration.ofSeconds(20);

    private static final int OUTPUT_SHOWN_CHARS = 500;

    /**
     * @param log receives the command's output
     * @param limit a command that runs longer is killed and has failed
     */
    static MeasuredProcess run(
            List<String> command, Map<String, String> environment, Path log, Duration limit)
            throws IOException, InterruptedException {
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "bash",
                                "-c",
                                "TIMEFORMAT='" + MARK + " %R %U %S'; time \"$@\"",
                                "bash"));
        all.addAll(command);
        ProcessBuilder builder =
                new ProcessBuilder(all).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("LC_ALL", "C");
        builder.environment().putAll(environment);
        long from = System.nanoTime();
        Process process = builder.start();
        ProcessTree tree = new ProcessTree(process.toHandle());
        try {
            while (!process.waitFor(SAMPLE_MILLIS, TimeUnit.MILLISECONDS)) {
                tree.observe();
                if (System.nanoTime() - from > limit.toNanos()) {
                    throw failed(command, "did not end within " + limit.toMinutes() + " min", log);
                }
            }
            long ended = System.nanoTime();
            while (tree.observe() && System.nanoTime() - ended < STRAGGLERS_MAX.toNanos()) {
                Thread.sleep(SAMPLE_MILLIS);
            }
        } finally {
            tree.end();
        }
        String output = Files.readString(log, StandardCharsets.ISO_8859_1);
        int at = output.lastIndexOf(MARK);
        if (process.exitValue() != 0 || at < 0) {
            throw failed(command, "ended with " + process.exitValue(), log);
        }
        String[] times = output.substring(at + MARK.length()).strip().split(" ", -1);
        return new MeasuredProcess(
                Double.parseDouble(times[0]),
                Double.parseDouble(times[1]) + Double.parseDouble(times[2]) + tree.uncounted(),
                tree.peakBytes() >> 20);
    }

    private static PetrichorException failed(List<String> command, String how, Path log)
            throws IOException {
        String output = Files.readString(log, StandardCharsets.ISO_8859_1).strip();
        return new PetrichorException(
                ErrorCode.FAILED_PRECONDITION,
                command.getFirst()
                        + " "
                        + how
                        + ": "
                        + output.substring(Math.max(0, output.length() - OUTPUT_SHOWN_CHARS)),
                Map.of("command", command));
    }
}
