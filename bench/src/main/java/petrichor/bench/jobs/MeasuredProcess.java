package petrichor.bench.jobs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A command that runs to its end, and what it and its children took of the processors. The shell
 * counts, because a process that has ended tells nothing.
 */
record MeasuredProcess(double wallSeconds, double cpuSeconds, String output) {
    private static final String MARK = "measured:";

    static MeasuredProcess run(List<String> command) throws IOException, InterruptedException {
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "bash",
                                "-c",
                                "TIMEFORMAT='" + MARK + " %R %U %S'; time \"$@\"",
                                "bash"));
        all.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(all).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.waitFor();
        int at = output.lastIndexOf(MARK);
        if (status != 0 || at < 0) {
            throw new PetrichorException(
                    ErrorCode.FAILED_PRECONDITION,
                    command.getFirst() + " ended with " + status + ": " + last(output),
                    Map.of("command", command));
        }
        String[] times = output.substring(at + MARK.length()).strip().split(" ", -1);
        return new MeasuredProcess(
                Double.parseDouble(times[0]),
                Double.parseDouble(times[1]) + Double.parseDouble(times[2]),
                output.substring(0, at).strip());
    }

    private static String last(String output) {
        return output.substring(Math.max(0, output.length() - 500)).strip();
    }
}
